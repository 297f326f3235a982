package eventlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	compareLimit = time.Minute     // for one comparison of the log with its evidence
	comparePause = 2 * time.Second // between two comparisons of a log that is closed
)

// evidence is what JetStream holds of the log: its copy, the journal and the last
// checkpoint. What is not there yet says nothing.
type evidence struct {
	js     jetstream.JetStream
	stream string // of the copy
}

// compare returns the last event that the copy holds, and ErrMismatch where the
// log lacks, or holds with another content, what the evidence says.
func (v evidence) compare(ctx context.Context, log *Log) (copied int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, compareLimit)
	defer cancel()
	copied, copyErr := v.compareCopy(ctx, log)
	journal, journalErr := v.js.Stream(ctx, JournalStream)
	if journalErr == nil {
		journalErr = compareJournal(ctx, journal, log)
	}
	kept, _, signedErr := v.lastCheckpoint(ctx)
	if signedErr == nil {
		_, _, signedErr = log.resumeTree(ctx, kept)
	}
	return copied, errors.Join(copyErr, ifThere(journalErr), signedErr)
}

// ifThere is nil where err says that a stream or bucket is not there.
func ifThere(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	return err
}

func (v evidence) compareCopy(ctx context.Context, log *Log) (int64, error) {
	stream, err := v.js.Stream(ctx, v.stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("open stream %s: %w", v.stream, explain(err))
	}
	info := stream.CachedInfo()
	last := int64(info.State.LastSeq)
	if wrong := keepsLess(info.Config, copyConfig(v.stream, 1)); wrong != "" {
		return last, fmt.Errorf("%w: stream %s has the wrong %s", ErrMismatch, v.stream, wrong)
	}
	_, err = lastCopied(ctx, stream, log)
	return last, err
}

// open lets the log take events once it holds all that the evidence says.
// At a mismatch it closes the log and compares again until somebody has
// recovered what is missing. What a task has found stays until the process is
// started again, unless the comparison finds more.
func (k *Keeper) open(ctx context.Context, conn *pgx.Conn) error {
	logged := ""
	for {
		err := k.prepare(ctx)
		if err == nil {
			_, err = k.evidence.compare(ctx, k.log)
		}
		switch {
		case errors.Is(err, ErrMismatch):
			k.mismatch = nil // this tells more
		case err != nil:
			return fmt.Errorf("compare the log with its copy: %w", err)
		case k.mismatch != nil:
			err = k.mismatch
		default:
			return execute(ctx, conn, `SELECT open_log()`)
		}
		if err := execute(ctx, conn, `SELECT close_log()`); err != nil {
			return err
		}
		k.report(leading, err)
		if text := err.Error(); text != logged {
			logged = text
			k.config.Logger.Error("the event log is closed: nothing is appended until somebody has looked; see igw audit recover", "error", err)
		}
		if err := sleep(ctx, comparePause); err != nil {
			return err
		}
	}
}

// prepare makes the streams and the bucket that are not there yet.
func (k *Keeper) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, publishLimit)
	defer cancel()
	if _, err := openCopy(ctx, k.evidence.js, copyConfig(k.config.Stream, k.config.Replicas)); err != nil {
		return err
	}
	if _, err := openStream(ctx, k.evidence.js, journalConfig(k.config.Replicas)); err != nil {
		return err
	}
	return k.evidence.openBucket(ctx, k.config.Replicas)
}

func execute(ctx context.Context, conn *pgx.Conn, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
