package command_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/vault"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const keeperURL = "base64key://smGbjm71Nxd1Ig5FS0wj9SlbzAIrnolCz9bQQ6uAhl4="

// patience bounds what a test waits for. hour is a lease that outlives it, and
// brief one that is there for some steps even of a busy machine, and then runs out.
const (
	patience = 30 * time.Second
	hour     = time.Hour
	brief    = 4 * time.Second
)

// parts are a database with everything that a Recorder needs, as the process of
// an integration has it.
type parts struct {
	url      string        // as a superuser
	pool     *pgxpool.Pool // as igw_service
	log      *eventlog.Log
	journal  *eventlog.Journal
	vault    *vault.Vault
	register *command.Register
}

func newParts(t *testing.T) parts {
	t.Helper()
	url := testenv.DatabaseURL(t)
	for _, migrate := range []func(context.Context, string) error{eventlogtest.Migrate, command.Migrate, vault.Migrate} {
		if err := migrate(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
	pool := newPool(t, schema.As(url, schema.Service))
	// Tests erase accounts, which the accounts service does.
	v, err := vault.Open(t.Context(), newPool(t, schema.As(url, schema.Accounts)), keeperURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	return parts{url: url, pool: pool, log: eventlog.New(pool), journal: eventlogtest.Journal(t, testenv.NATSURL(t)), vault: v, register: command.NewRegister(pool)}
}

func newPool(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// silent registers an instance that does not renew its lease.
func (p parts) silent(t *testing.T, lease time.Duration) *command.Instance {
	t.Helper()
	i, err := command.NewInstance(t.Context(), p.pool, lease, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// run has an instance renew its lease until end is called, or the test ends.
func run(t *testing.T, i *command.Instance) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		i.Run(ctx)
	}()
	end = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	t.Cleanup(end)
	return end
}

// recorder returns the recorder of a new instance that is alive.
func (p parts) recorder(t *testing.T) command.Recorder {
	t.Helper()
	i := p.silent(t, hour)
	run(t, i)
	return p.of(i)
}

// of returns the recorder of an instance.
func (p parts) of(i *command.Instance) command.Recorder {
	return command.Recorder{
		Log: p.log, Journal: p.journal, Sealer: p.vault, Register: p.register, Instance: i,
		Site: func(context.Context) (string, string) { return "corner-shop", "abc" },
		User: func(ctx context.Context) (string, error) { return userOf(bus.IdentityFrom(ctx).AccountID), nil },
	}
}

// userOf is who an account signs in as: account-1b is linked with the user of account-1.
func userOf(account string) string { return "user of " + strings.TrimSuffix(account, "b") }

// dead returns the recorder of an instance that dies once the log has followed
// a script: what is appended after that does not come through.
func (p parts) dead(t *testing.T, script ...step) command.Recorder {
	t.Helper()
	r := p.recorder(t)
	r.Instance = p.silent(t, hour)
	run(t, r.Instance)()
	r.Log = &scripted{Log: p.log, steps: script, then: lost}
	return r
}

// step is what becomes of an append.
type step int

const (
	kept    step = iota // it comes through
	unheard             // it comes through, and the answer is lost
	lost                // it does not come through
)

// scripted is a log whose connection is as a script has it: no real database
// fails at a chosen append.
type scripted struct {
	command.Log
	mu    sync.Mutex
	steps []step
	then  step // after the script
}

func (l *scripted) next() step {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.steps) == 0 {
		return l.then
	}
	s := l.steps[0]
	l.steps = l.steps[1:]
	return s
}

func (l *scripted) Append(ctx context.Context, stream string, expected int64, events ...event.Event) ([]event.Event, error) {
	s := l.next()
	if s == lost {
		return nil, errors.New("connection refused")
	}
	appended, err := l.Log.Append(ctx, stream, expected, events...)
	if s == unheard && err == nil {
		return nil, errors.New("connection reset")
	}
	return appended, err
}

// request asks for a command.
type request struct {
	id      string // Command-Id; a new one by default
	caller  string
	account string
	op      contracts.Info
	body    *orderRequest
}

func newRequest() request {
	return request{uuid.NewString(), "caller-1", "account-1", place, &orderRequest{Item: "tea", Address: "12 Elm Street"}}
}

// send carries a command out with a recorder; its operation does what act says.
func (q request) send(ctx context.Context, r command.Recorder, act act) (any, error) {
	ctx = bus.WithIdentity(ctx, bus.Identity{CommandID: q.id, CallerID: q.caller, AccountID: q.account})
	return r.Middleware(q.op)(func(ctx context.Context, _ any) (any, error) {
		return act(ctx, command.From(ctx))
	})(ctx, q.body)
}

// events returns what the log holds of a command.
func (p parts) events(t *testing.T, id string) []event.Event {
	t.Helper()
	events, err := p.log.Stream(t.Context(), event.CommandStream(id))
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// wantEvents wants the log to hold events of these types of a command, and no more.
func wantEvents(t *testing.T, p parts, id string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, types(p.events(t, id))); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// last is a command's last event, which must be of a type.
func last[P event.Payload](t *testing.T, p parts, id string) P {
	t.Helper()
	events := p.events(t, id)
	payload, err := event.PayloadOf[P](events[len(events)-1])
	if err != nil {
		t.Fatalf("%v of %v", err, types(events))
	}
	return payload
}

// count returns what a query counts.
func (p parts) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	if err := p.pool.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Error(err)
	}
	return n
}

// until waits for something that another goroutine or the clock brings about.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to pass: %s", what)
		}
	}
}

// sweep ends what is left behind, as the recovery of a recorder's instance.
func sweep(t *testing.T, r command.Recorder) {
	t.Helper()
	v := command.Recovery{Recorder: r, Integration: place.Integration, Logger: slog.New(slog.DiscardHandler)}
	if err := v.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
}

// What an operation does, in most tests.
var (
	succeed act = func(context.Context, *command.Command) (*order, error) {
		return &order{ID: "7", Address: "12 Elm Street"}, nil
	}
	confirm act = func(ctx context.Context, c *command.Command) (*order, error) {
		return &order{ID: "7", Address: "12 Elm Street"}, start(ctx, c)
	}
	breakOff act = func(ctx context.Context, c *command.Command) (*order, error) {
		return nil, errors.Join(start(ctx, c), errors.New("browser died"))
	}
)
