package testenv_test

import (
	"context"
	"net/url"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func setup(t *testing.T) context.Context {
	t.Helper()
	t.Parallel()
	testenv.DatabaseURL(t) // a first start takes its own time
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func connect(ctx context.Context, t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(ctx)) })
	return conn
}

func TestTwoTestsUseTheSameTableName(t *testing.T) {
	ctx := setup(t)
	for range 2 {
		conn := connect(ctx, t, testenv.DatabaseURL(t))
		if _, err := conn.Exec(ctx, "CREATE TABLE event (id int PRIMARY KEY)"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSchemaIsDroppedAtTheEnd(t *testing.T) {
	ctx := setup(t)
	var address string
	t.Run("a test with a table", func(t *testing.T) {
		address = testenv.DatabaseURL(t)
		conn := connect(ctx, t, address)
		if _, err := conn.Exec(ctx, "CREATE TABLE event (id int PRIMARY KEY)"); err != nil {
			t.Fatal(err)
		}
	})
	conn := connect(ctx, t, address)
	var left bool
	schema := searchPath(t, address)
	if err := conn.QueryRow(ctx, "SELECT to_regnamespace($1) IS NOT NULL", schema).Scan(&left); err != nil {
		t.Fatal(err)
	}
	if left {
		t.Errorf("schema %s is still there", schema)
	}
}

func searchPath(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Query().Get("search_path")
}

func TestCommitsAreDurable(t *testing.T) {
	ctx := setup(t)
	conn := connect(ctx, t, testenv.DatabaseURL(t))
	for _, setting := range []string{"fsync", "synchronous_commit"} {
		var value string
		if err := conn.QueryRow(ctx, "SHOW "+setting).Scan(&value); err != nil {
			t.Fatal(err)
		}
		if value != "on" {
			t.Errorf("%s is %s", setting, value)
		}
	}
}

func dial(t *testing.T, address string) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	conn, err := nats.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return conn, js
}

func TestTwoTestsUseTheSameStreamAndSubject(t *testing.T) {
	ctx := setup(t)
	first, firstJS := dial(t, testenv.NATSURL(t))
	second, secondJS := dial(t, testenv.NATSURL(t))

	for _, js := range []jetstream.JetStream{firstJS, secondJS} {
		if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "EVT", Subjects: []string{"evt.>"}}); err != nil {
			t.Fatal(err)
		}
	}
	heard, err := second.SubscribeSync("evt.>")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := firstJS.Publish(ctx, "evt.a", nil); err != nil {
		t.Fatal(err)
	}
	if err := first.Flush(); err != nil {
		t.Fatal(err)
	}
	// A message of the second account itself shows that one of the first would have arrived by now.
	if _, err := secondJS.Publish(ctx, "evt.own", nil); err != nil {
		t.Fatal(err)
	}
	message, err := heard.NextMsgWithContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if message.Subject != "evt.own" {
		t.Errorf("the second account received %s of the first", message.Subject)
	}
}

func TestStreamsAreDeletedAtTheEnd(t *testing.T) {
	ctx := setup(t)
	var address string
	t.Run("a test with a stream", func(t *testing.T) {
		address = testenv.NATSURL(t)
		_, js := dial(t, address)
		if _, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "LEADER"}); err != nil {
			t.Fatal(err)
		}
	})
	_, js := dial(t, address)
	names := js.StreamNames(ctx)
	for name := range names.Name() {
		t.Errorf("stream %s is still there", name)
	}
	if err := names.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestChromiumIsAProgramThatRuns(t *testing.T) {
	ctx := setup(t)
	if output, err := exec.CommandContext(ctx, testenv.Chromium(t), "--version").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
}
