package testenv_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/pkg/testenv"
)

func own(t *testing.T) context.Context {
	t.Helper()
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestAKilledPostgresComesBackWithItsData(t *testing.T) {
	ctx := own(t)
	server := testenv.OwnPostgres(t)
	before := connect(ctx, t, server.URL)
	if _, err := before.Exec(ctx, "CREATE TABLE event (id int PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	if err := before.Ping(ctx); err == nil {
		t.Error("a connection to the killed server still answers")
	}
	if conn, err := pgx.Connect(ctx, server.URL); err == nil {
		_ = conn.Close(ctx)
		t.Error("the killed server still answers")
	}
	server.Start()
	if _, err := connect(ctx, t, server.URL).Exec(ctx, "INSERT INTO event VALUES (1)"); err != nil {
		t.Error(err)
	}
}

func TestAKilledNATSComesBackWithItsStoreAsItWasOrWasSavedOrWithNone(t *testing.T) {
	ctx := own(t)
	server := testenv.OwnNATS(t)
	publish := func() {
		_, js := dial(t, server.URL)
		if _, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "EVT", Subjects: []string{"evt.>"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := js.Publish(ctx, "evt.a", nil); err != nil {
			t.Fatal(err)
		}
	}
	publish()
	server.Kill()
	if conn, err := nats.Connect(server.URL); err == nil {
		conn.Close()
		t.Error("the killed server still answers")
	}
	server.SaveStore()
	server.Start()
	publish()
	server.Kill()
	server.Start()
	holds(ctx, t, server, 2)

	server.Kill()
	server.RestoreStore()
	server.Start()
	holds(ctx, t, server, 1)

	server.Kill()
	server.RemoveStore()
	server.Start()
	_, js := dial(t, server.URL)
	if _, err := js.Stream(ctx, "EVT"); err == nil {
		t.Error("the stream of the removed store is still there")
	}
}

func holds(ctx context.Context, t *testing.T, server *testenv.NATS, want uint64) {
	t.Helper()
	_, js := dial(t, server.URL)
	stream, err := js.Stream(ctx, "EVT")
	if err != nil {
		t.Fatal(err)
	}
	if got := stream.CachedInfo().State.Msgs; got != want {
		t.Errorf("the stream holds %d messages, not %d", got, want)
	}
}
