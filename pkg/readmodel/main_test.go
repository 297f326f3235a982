package readmodel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) {
	time.Local = time.FixedZone("elsewhere", 5*60*60) // rows do not depend on where their database is read
	testenv.Main(m)
}

// testLimit bounds every wait of a test.
const testLimit = 60 * time.Second

// bundle is a log with two projectors on it, as two processes would have.
type bundle struct {
	owner      *pgxpool.Pool // may do anything
	pool       *pgxpool.Pool // of the role that the audit service has
	log        *eventlog.Log
	here       *Projector
	there      *Projector
	processLog buffer
}

func setup(t testing.TB) *bundle {
	t.Helper()
	databaseURL := testenv.DatabaseURL(t)
	for _, migrate := range []func(context.Context, string) error{eventlogtest.Migrate, Migrate} {
		if err := migrate(t.Context(), databaseURL); err != nil {
			t.Fatal(err)
		}
	}
	b := &bundle{owner: newPool(t, databaseURL), pool: newPool(t, schema.As(databaseURL, schema.Keeper))}
	b.log = eventlog.New(b.owner)
	logger := slog.New(slog.NewTextHandler(&b.processLog, nil))
	b.here = NewProjector(b.pool, eventlog.New(b.pool), logger)
	b.there = NewProjector(newPool(t, schema.As(databaseURL, schema.Keeper)), eventlog.New(b.pool), logger)
	return b
}

func newPool(t testing.TB, databaseURL string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func limited(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	return ctx
}

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// append adds events to a stream whose last event has the version expected.
func (b *bundle) append(ctx context.Context, t failer, stream string, expected int64, events ...event.Event) []event.Event {
	t.Helper()
	last, err := b.log.Last(ctx, stream)
	if err != nil || last.Version != expected {
		t.Fatalf("stream %s has version %d: %v", stream, last.Version, err)
	}
	appended, err := b.log.Append(ctx, stream, last, events...)
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return appended
}

// sequence gives all events their seq.
func (b *bundle) sequence(ctx context.Context, t failer) (head int64) {
	t.Helper()
	for {
		var moved, unsequenced int
		if err := b.owner.QueryRow(ctx, `SELECT head, moved FROM sequence_events(1000)`).Scan(&head, &moved); err != nil {
			t.Fatalf("sequence: %v", err)
		}
		// Transactions of other tests, anywhere in the cluster, hold events back.
		if err := b.owner.QueryRow(ctx, `SELECT (SELECT count(*) FROM events) - (SELECT count(*) FROM log)`).Scan(&unsequenced); err != nil {
			t.Fatalf("sequence: %v", err)
		}
		if unsequenced == 0 {
			return head
		}
	}
}

// project has a projector count in all that is sequenced. The lock of one that
// was killed may be there for a moment yet.
func (b *bundle) project(ctx context.Context, t failer) {
	t.Helper()
	for {
		if _, err := b.here.step(ctx); err != nil {
			t.Fatalf("project: %v", err)
		}
		head, headErr := b.log.Head(ctx)
		seq, err := Projected(ctx, b.pool)
		if err := errors.Join(headErr, err); err != nil {
			t.Fatalf("project: %v", err)
		}
		if seq == head {
			return
		}
	}
}

// rebuild rebuilds the read models into a file; the caller closes them.
func (b *bundle) rebuild(ctx context.Context, t failer, file string) *Rebuilt {
	t.Helper()
	r, err := Rebuild(ctx, b.log, file, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

// compare rebuilds the read models from nothing and compares the live ones.
func (b *bundle) compare(t *testing.T) Comparison {
	t.Helper()
	ctx := limited(t)
	r := b.rebuild(ctx, t, filepath.Join(t.TempDir(), "rebuilt"))
	defer func() { _ = r.Close() }()
	c, err := r.Compare(ctx, b.owner)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (b *bundle) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := b.owner.Exec(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

// of makes an event that carries p, as the command "buy-now" would append it.
func of(t failer, p event.Payload) event.Event {
	t.Helper()
	e, err := event.New(p)
	if err != nil {
		t.Fatalf("%v", err)
	}
	e.Integration, e.Operation, e.Command, e.Caller, e.Account = "marketplace", "buy-now", "c1", "caller-1", "a1"
	return e
}

// raw makes an event of any type with any data.
func raw(eventType, data string) event.Event {
	return event.Event{
		ID: event.NewID(), Type: eventType, Integration: "marketplace", Operation: "buy-now",
		Command: "c1", Caller: "caller-1", Account: "a1", Data: json.RawMessage(data),
	}
}

// buffer collects what several goroutines write.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
