// Package eventlogtest is for tests that append to an event log without a
// keeper.
package eventlogtest

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/pkg/eventlog"
)

// Migrate creates the log's tables and lets the log take events, though no
// keeper has compared it with its copy. It has the signature of
// eventlog.Migrate, in whose place it stands.
func Migrate(ctx context.Context, databaseURL string) error {
	if err := eventlog.Migrate(ctx, databaseURL); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	_, err = conn.Exec(ctx, `SELECT open_log()`)
	return err
}

// Journal returns the journal in a NATS account, with its stream, which a keeper
// would make.
func Journal(t testing.TB, natsURL string) *eventlog.Journal {
	t.Helper()
	nc, err := nats.Connect(natsURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream := jetstream.StreamConfig{Name: eventlog.JournalStream, Subjects: []string{"journal.>"}}
	if _, err := js.CreateStream(t.Context(), stream); err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		t.Fatal(err)
	}
	journal, err := eventlog.NewJournal(nc)
	if err != nil {
		t.Fatal(err)
	}
	return journal
}
