package eventlog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// asBytes compares payloads and hashes at once, not byte by byte.
var asBytes = cmp.Comparer(bytes.Equal)

// testLimit bounds every wait of a test.
const testLimit = 60 * time.Second

// newLog returns an empty log in a schema of its own.
func newLog(t testing.TB, options ...Option) *Log {
	t.Helper()
	url := testenv.DatabaseURL(t)
	if err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	log := New(newPool(t, url), options...)
	openLog(t, log)
	return log
}

// openLog lets a log that no keeper has compared with its copy take events.
func openLog(t testing.TB, log *Log) {
	t.Helper()
	if _, err := log.pool.Exec(t.Context(), `SELECT open_log()`); err != nil {
		t.Fatal(err)
	}
}

func newPool(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 32
	config.ConnConfig.RuntimeParams["application_name"] = config.ConnConfig.RuntimeParams["search_path"]
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// accepted returns an event as a command's recorder would append it.
func accepted(t testing.TB, note string) event.Event {
	t.Helper()
	e, err := event.New(event.CommandAccepted{
		Request: json.RawMessage(fmt.Sprintf(`{"asin":"B000000001","note":%q}`, note)), Site: "sandbox", SiteHash: "5f70bf18a086",
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Integration, e.Operation = "marketplace", "buy-now"
	e.Command, e.Caller, e.Account = "c1", "caller-ü", "a1"
	return e
}

func limited(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	return ctx
}
