package eventlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
)

// ErrMismatch says that the log is not what was published or signed before:
// the JetStream stream is not its copy, it lacks an event of the journal, or its
// last checkpoint has another root. Going on would carry commands out again that are lost, and would publish
// and sign another history, so the log is closed until somebody has looked.
var ErrMismatch = errors.New("the event log does not match what was published or signed of it")

// duplicates is how long JetStream keeps the ids of messages in memory. Order
// and uniqueness rest on what each message expects of its predecessor, so that
// the ids only answer a message that comes twice within a moment.
const duplicates = 10 * time.Second

// copyConfig is the stream that holds the copy: kept for ever, closed to
// deletion, and full rather than forgetful.
func copyConfig(name string, replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        name,
		Description: "Copy of the event log: message n is event n.",
		Subjects:    []string{event.SubjectAll},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardNew,
		MaxMsgs:     -1,
		MaxBytes:    -1,
		MaxMsgSize:  -1,
		DenyDelete:  true,
		DenyPurge:   true,
		Duplicates:  duplicates,
		Replicas:    replicas,
	}
}

// openCopy returns the stream of the copy, which it creates if there is none.
func openCopy(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := openStream(ctx, js, want)
	if err != nil {
		return nil, err
	}
	if wrong := keepsLess(stream.CachedInfo().Config, want); wrong != "" {
		return nil, fmt.Errorf("%w: stream %s has the wrong %s", ErrMismatch, want.Name, wrong)
	}
	return stream, nil
}

// openStream returns a stream, which it creates if there is none, with as many
// replicas as it should have.
func openStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := js.Stream(ctx, want.Name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		stream, err = js.CreateStream(ctx, want)
	case err == nil && stream.CachedInfo().Config.Replicas != want.Replicas:
		config := stream.CachedInfo().Config
		config.Replicas = want.Replicas
		stream, err = js.UpdateStream(ctx, config)
	}
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", want.Name, explain(err))
	}
	return stream, nil
}

// readFrom reads a stream's messages from one on. The server drops the consumer
// soon after its last use, and a server that does not answer is an error: unless
// the attempts are limited, a fetch waits for it whatever becomes of ctx.
func readFrom(seq uint64) jetstream.OrderedConsumerConfig {
	return jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: seq,
		InactiveThreshold: 10 * time.Second, MaxResetAttempts: 1,
	}
}

// explain puts before an error of JetStream what an operator can do about it,
// where that does not show: the store of a server that has no room is refused
// for many reasons, and a server that ran out of it turns JetStream off.
func explain(err error) error {
	var known jetstream.JetStreamError
	if !errors.As(err, &known) || known.APIError() == nil {
		return err
	}
	switch known.APIError().ErrorCode {
	case 10023, 10047, 10077: // insufficient resources; storage resources exceeded; a message could not be stored
		return fmt.Errorf("the store of the NATS server has no room left; give it more disk, or raise max_file_store: %w", err)
	case jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return fmt.Errorf("JetStream is off at the NATS server, as after its disk was full; see the server's log and start it again: %w", err)
	}
	return err
}

// keepsLess names a setting by which the stream would lose or refuse events.
func keepsLess(got, want jetstream.StreamConfig) string {
	switch {
	case !slices.Equal(got.Subjects, want.Subjects):
		return "subjects"
	case got.Storage != want.Storage:
		return "storage"
	case got.Retention != want.Retention:
		return "retention"
	case got.Discard != want.Discard:
		return "discard policy"
	case got.MaxAge != 0 || got.MaxMsgsPerSubject > 0:
		return "limits of age or messages per subject"
	case !got.DenyDelete || !got.DenyPurge:
		return "permission to delete or purge"
	}
	return ""
}

// lastCopied compares the end of the stream with the log and returns the seq
// of the last event that the stream holds, 0 for none.
func lastCopied(ctx context.Context, stream jetstream.Stream, log *Log) (int64, error) {
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask for the stream's state: %w", err)
	}
	last := info.State.LastSeq
	if last == 0 {
		return 0, nil
	}
	if info.State.FirstSeq != 1 {
		return 0, fmt.Errorf("%w: its first message is %d, not 1", ErrMismatch, info.State.FirstSeq)
	}
	events, err := log.Range(ctx, int64(last)-1, 1)
	if err != nil {
		return 0, err
	}
	if len(events) == 0 {
		return 0, fmt.Errorf("%w: it holds message %d and the log ends before; was the database restored to an earlier time?", ErrMismatch, last)
	}
	if err := compare(ctx, stream, events[0]); err != nil {
		return 0, err
	}
	return int64(last), nil
}

// compare reads the message that should be a copy of e.
func compare(ctx context.Context, stream jetstream.Stream, e event.Event) error {
	msg, err := stream.GetMsg(ctx, uint64(e.Seq))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return fmt.Errorf("%w: message %d is missing", ErrMismatch, e.Seq)
	}
	if err != nil {
		return fmt.Errorf("read message %d: %w", e.Seq, err)
	}
	got, err := event.Decode(msg.Subject, msg.Header, msg.Data)
	if err != nil {
		return fmt.Errorf("%w: message %d is not an event: %w", ErrMismatch, e.Seq, err)
	}
	if got.ID != e.ID || !slices.Equal(got.Hash, e.Hash) {
		return fmt.Errorf("%w: message %d is event %s, but event %d of the log is %s", ErrMismatch, e.Seq, got.ID, e.Seq, e.ID)
	}
	return nil
}
