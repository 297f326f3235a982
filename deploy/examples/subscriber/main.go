// Command subscriber is an example of a system that lives on the gateway's
// events: it counts the orders that the applications confirmed, for each
// integration, and counts each once, whatever happens.
//
//	NATS_URL=nats://localhost:4222 go run ./deploy/examples/subscriber
//
// It is a durable pull consumer of JetStream, made with nats.go and the Go
// package contracts/event. JetStream delivers a message again until it is
// acknowledged: so the event's id and the new count are written in one
// transaction, and only then is the message acknowledged. Killed in between, the
// subscriber gets the message again and finds its id. SIGINT ends it; the next
// run goes on from there.
//
// Its settings are environment variables:
//
//	NATS_URL         the gateway's NATS server, nats://localhost:4222 if not set
//	SUBSCRIBER_FILE  where ids and counts are kept, subscriber.db if not set
//	SUBSCRIBER_NAME  name of the durable consumer, order-tally if not set
//
// The file and the consumer belong together: to begin again with the first
// event, choose a new file and a new name.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/contracts/event"
)

const (
	requestLimit = 5 * time.Second // for an answer of NATS
	ackWait      = 5 * time.Second // until a message that is not acknowledged comes again
	maxPending   = 64              // messages on their way or under way at once
)

type settings struct{ natsURL, file, name string }

func main() {
	if err := start(); err != nil {
		fmt.Fprintln(os.Stderr, "subscriber:", err)
		os.Exit(1)
	}
}

func start() error {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	return run(ctx, settings{
		natsURL: cmp.Or(os.Getenv("NATS_URL"), nats.DefaultURL),
		file:    cmp.Or(os.Getenv("SUBSCRIBER_FILE"), "subscriber.db"),
		name:    cmp.Or(os.Getenv("SUBSCRIBER_NAME"), "order-tally"),
	}, os.Stdout)
}

// run counts until ctx ends, and writes a line whenever a count changes.
func run(ctx context.Context, s settings, out io.Writer) (err error) {
	tally, err := openTally(s.file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tally.close()) }()
	nc, err := connect(s.natsURL)
	if err != nil {
		return err
	}
	defer func() {
		_ = nc.FlushTimeout(requestLimit) // acknowledgements that are lost come to no harm
		nc.Close()
	}()
	consumer, err := durable(ctx, nc, s.name)
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(maxPending), jetstream.WithMessagesErrOnMissingHeartbeat(false))
	if err != nil {
		return fmt.Errorf("ask for messages: %w", err)
	}
	defer messages.Stop()
	fmt.Fprintf(out, "counting orders as consumer %s\n", s.name)
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("wait for a message: %w", err)
		}
		if err := handle(msg, tally, out); err != nil {
			return err
		}
	}
}

// handle counts the event of a message, then acknowledges it.
func handle(msg jetstream.Msg, tally *tally, out io.Writer) error {
	e, err := event.Decode(msg.Subject(), msg.Headers(), msg.Data())
	if err != nil {
		return fmt.Errorf("a message of %s is not an event: %w", event.JetStreamName, err)
	}
	confirmed, err := isConfirmed(e)
	if err != nil {
		return err
	}
	if confirmed {
		orders, isNew, err := tally.count(e)
		if err != nil {
			return err
		}
		if isNew {
			fmt.Fprintf(out, "%s: %d orders\n", e.Integration, orders)
		}
	}
	if err := msg.Ack(); err != nil {
		return fmt.Errorf("acknowledge event %s: %w", e.ID, err)
	}
	return nil
}

// isConfirmed says whether an order was placed: confirmed at once, or found at
// the application after its outcome had been in doubt, or late, after it had
// been settled that there was none.
func isConfirmed(e event.Event) (bool, error) {
	if e.Type != event.TypeEffectReconciled {
		return e.Type == event.TypeEffectConfirmed || e.Type == event.TypeEffectFoundLate, nil
	}
	settled, err := event.PayloadOf[event.EffectReconciled](e)
	return settled.Applied, err
}

// connect connects to NATS, and again whenever the connection is lost.
func connect(address string) (*nats.Conn, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("NATS_URL is not the URL of a server, such as " + nats.DefaultURL) // without err, which shows a password
	}
	nc, err := nats.Connect(address, nats.Name("example subscriber"), nats.Timeout(requestLimit), nats.MaxReconnects(-1))
	if err != nil {
		return nil, fmt.Errorf("NATS_URL: no connection to %s: %w", u.Redacted(), err)
	}
	return nc, nil
}

// durable makes the consumer, or finds that of an earlier run.
func durable(ctx context.Context, nc *nats.Conn, name string) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	consumer, err := js.CreateOrUpdateConsumer(ctx, event.JetStreamName, jetstream.ConsumerConfig{
		Durable:        name,
		FilterSubjects: orderSubjects(),
		DeliverPolicy:  jetstream.DeliverAllPolicy,
		AckPolicy:      jetstream.AckExplicitPolicy,
		AckWait:        ackWait,
		MaxAckPending:  maxPending,
	})
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return nil, fmt.Errorf("this NATS server has no stream %s: NATS_URL must name the gateway's own, and the gateway must have run", event.JetStreamName)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, nats.ErrNoResponders):
		return nil, errors.New("this NATS server runs without JetStream: NATS_URL must name the gateway's own")
	case err != nil:
		return nil, fmt.Errorf("make the consumer %q (SUBSCRIBER_NAME): %w", name, err)
	}
	return consumer, nil
}

// orderSubjects are those of the events that can confirm an order.
func orderSubjects() []string {
	var subjects []string
	for _, entry := range catalog.All() {
		if op := entry.Info(); op.Effect == contracts.Order {
			for _, typ := range []string{event.TypeEffectConfirmed, event.TypeEffectReconciled, event.TypeEffectFoundLate} {
				subjects = append(subjects, event.Event{Integration: op.Integration, Operation: op.Name, Type: typ}.Subject())
			}
		}
	}
	return subjects
}
