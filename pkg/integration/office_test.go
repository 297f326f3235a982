package integration

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/drift"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/session"
	"integration.gateway/pkg/signin"
	"integration.gateway/pkg/site"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/vault"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const password = "correct horse"

var keeperURL = "base64key://" + base64.URLEncoding.EncodeToString(make([]byte, 32))

// office is an account at the application, with real stores.
type office struct {
	*testing.T
	application *application
	database    string // its address
	pool        *pgxpool.Pool
	vault       *vault.Vault
	log         *eventlog.Log
	journal     *eventlog.Journal
	account     string
	instances   int
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{T: t, application: newApplication(t), database: testenv.DatabaseURL(t), account: uuid.NewString()}
	for _, migrate := range []func(context.Context, string) error{
		eventlogtest.Migrate, command.Migrate, session.Migrate, signin.Migrate, drift.Migrate, vault.Migrate,
	} {
		o.must(migrate(t.Context(), o.database))
	}
	var err error
	o.pool, err = pgxpool.New(t.Context(), o.database)
	o.must(err)
	t.Cleanup(o.pool.Close)
	o.vault, err = vault.Open(t.Context(), o.pool, keeperURL)
	o.must(err)
	t.Cleanup(func() { _ = o.vault.Close() })
	o.log, o.journal = eventlog.New(o.pool), eventlogtest.Journal(t, testenv.NATSURL(t))
	o.link(password)
	return o
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// link stores credentials for the account.
func (o *office) link(password string) {
	o.Helper()
	o.linkAs("jane", password)
}

func (o *office) linkAs(username, password string) {
	o.Helper()
	text, err := json.Marshal(accounts.Credentials{Username: username, Password: password})
	o.must(err)
	o.must(o.vault.Put(o.Context(), o.account, accounts.CredentialsName, text))
}

// browsers are those of the tests, which no test ends: an office's first
// instance has the first one, and so on.
var browsers [3]testenv.Shared[*browser.Pool]

// instance is one process of the service.
type instance struct {
	*office
	player   *Player
	sites    *site.Set
	log      command.Log
	instance *command.Instance
	die      context.CancelFunc // its lease is not renewed any more
}

func (o *office) instance() *instance {
	o.Helper()
	sites, err := shopService.OpenSites(Config{DefaultSite: "shop"}, map[string]string{"shop": o.application.URL}, slog.New(slog.DiscardHandler))
	o.must(err)
	browsers := browsers[o.instances].Get(o, func() (*browser.Pool, func() error) {
		pool, err := browser.Open(context.Background(), browser.Config{Path: testenv.Chromium(o), MaxPages: 2, Prepare: flow.Prepare})
		o.must(err)
		return pool, func() error {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			return pool.Close(ctx)
		}
	})
	o.instances++
	logger := slog.New(slog.DiscardHandler)
	drifts := drift.NewRecorder(drift.Config{Pool: o.pool, Log: o.log, Logger: logger, Metrics: prometheus.NewRegistry()})
	in := &instance{office: o, sites: sites, player: &Player{browsers: browsers, vault: o.vault, register: command.NewRegister(o.pool), log: o.log, drift: drifts, logger: logger}, log: o.log}
	in.instance, err = command.NewInstance(o.Context(), o.pool, lease, in.player.logger)
	o.must(err)
	in.player.signIns = signin.New(o.pool, in.instance.ID)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { in.instance.Run(ctx) })
	in.die = func() {
		cancel()
		running.Wait()
	}
	o.Cleanup(in.die)
	return in
}

// lease is how long an instance may be silent in these tests.
const lease = 3 * time.Second

func (in *instance) recorder() command.Recorder {
	return command.Recorder{
		Log: in.log, Journal: in.journal, Sealer: in.vault, Register: command.NewRegister(in.pool), Instance: in.instance,
		Site: siteOfCommand, User: in.player.userOfCommand,
	}
}

// outcome is how a command ended.
type outcome[Res any] struct {
	res    *Res
	err    *contracts.Error
	events string // their types, in order
	stored string // their data
	id     string // of the command
}

// run carries out an operation as a command.
func run[Req, Res any](ctx context.Context, in *instance, op contracts.Operation[Req, Res], req *Req) (out outcome[Res]) {
	in.Helper()
	out.id = uuid.NewString()
	carryOut := commandChain(in.sites, in.recorder(), []contracts.Entry{op})(op.Info())(func(ctx context.Context, request any) (res any, err error) {
		defer func() { // as the bus does
			if value := recover(); value != nil {
				err = contracts.Errorf(contracts.Fault, "panic: %v", value)
			}
		}()
		return Play(ctx, in.player, op, request.(*Req))
	})
	res, err := carryOut(bus.WithIdentity(ctx, bus.Identity{CommandID: out.id, CallerID: "caller", AccountID: in.account}), req)
	if out.res, _ = res.(*Res); err != nil {
		out.err = contracts.AsError(err)
	}
	events, err := in.office.log.Stream(in.Context(), event.CommandStream(out.id))
	if err != nil {
		in.Error(err)
	}
	for _, e := range events {
		out.events += " " + e.Type
		out.stored += string(e.Data)
	}
	out.events = strings.TrimSpace(out.events)
	return out
}

func (in *instance) list() outcome[marketplace.BuyAgainList] {
	in.Helper()
	return run(in.Context(), in, marketplace.BuyAgain, &marketplace.BuyAgainRequest{})
}

func (in *instance) order(asin string) outcome[marketplace.Order] {
	in.Helper()
	return run(in.Context(), in, marketplace.BuyNow, &marketplace.BuyNowRequest{Body: marketplace.ItemChoice{ASIN: asin}})
}

// mustList lists and fails the test if it cannot.
func (in *instance) mustList() {
	in.Helper()
	if out := in.list(); out.err != nil || len(out.res.Items) != 1 {
		in.Fatalf("%+v (cause %v)", out.err, out.err.Unwrap())
	}
}

func (o *office) expectSignIns(want int32) {
	o.Helper()
	if got := o.application.signIns.Load(); got != want {
		o.Errorf("signed in %d times, want %d", got, want)
	}
}
