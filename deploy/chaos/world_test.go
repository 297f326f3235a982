package chaos_test

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/deploy/migration"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/proof"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/vault"
)

const (
	keeperURL  = "base64key://smGbjm71Nxd1Ig5FS0wj9SlbzAIrnolCz9bQQ6uAhl4="
	adminToken = "an-admin-token-for-the-chaos"

	startLimit = 60 * time.Second
	clock      = "15:04:05.000"
)

// world is an installation of processes of its own, with a driver at each of
// its edges.
type world struct {
	*testing.T
	seed      uint64
	bin, logs string
	verifier  string // of the log's checkpoints

	postgresServer *testenv.Postgres
	natsServer     *testenv.NATS
	outages        chan outage // that trials come to
	steps          int         // of the clock of Postgres, so far
	losses         map[act]int // of the state of a server, so far
	unrecovered    []string    // those that could not be recovered from

	pool  *pgxpool.Pool
	log   *eventlog.Log
	vault *vault.Vault
	nats  *nats.Conn

	applications    []*application
	origins         origins
	operator        *operator
	members         []*member
	gateways        []*member
	services        []*member
	audit, accounts *member
	urls            []string // of the gateways

	http  *http.Client
	lanes []*account

	mu       sync.Mutex
	trials   []*trial
	latest   map[string]*trial    // by account
	told     map[string]time.Time // of each command and type of event: when the driver was told of it, before it was appended
	late     time.Time            // until when the shop may carry something out that is looked for late
	clockOff bool                 // the clock of Postgres is not right
}

// newWorld starts an installation, which ends with the test.
func newWorld(t *testing.T, seed uint64, services int, apps []*application) *world {
	t.Helper()
	w := &world{
		T: t, seed: seed, bin: t.TempDir(), logs: t.ArtifactDir(), latest: map[string]*trial{}, told: map[string]time.Time{}, losses: map[act]int{},
		origins: origins{started: map[userAt]origin{}, busy: map[string]int{}},
		http:    &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}
	w.postgresServer, w.natsServer, w.outages = testenv.OwnPostgresWithClock(t), testenv.OwnNATS(t), make(chan outage)
	databaseURL, natsURL := w.postgresServer.URL, w.natsServer.URL
	w.must(build(t.Context(), w.bin))
	w.must(migration.Apply(t.Context(), databaseURL, databaseURL))
	w.connect(databaseURL, natsURL)
	w.applications = apps
	driver := w.serve(http.HandlerFunc(w.edge))
	var sandboxes []string
	for _, a := range apps {
		a.world, a.url = w, w.serve(a)
		sandboxes = append(sandboxes, a.name+"="+a.url)
	}

	private, verifier, err := proof.GenerateKey("chaos.test/log")
	w.must(err)
	w.verifier = verifier
	w.audit = w.member("audit", "audit", databaseURL, schema.Keeper, natsURL, "CHECKPOINT_KEY="+private, "CHECKPOINT_AGE=500ms")
	w.accounts = w.member("accounts", "accounts", databaseURL, schema.Accounts, natsURL)
	for i := range services {
		name := "integrations-" + strconv.Itoa(i)
		w.services = append(w.services, w.member(name, "integrations", databaseURL, schema.Service, natsURL,
			append([]string{
				"CHAOS_DRIVER=" + driver, "CHAOS_PROCESS=" + name, "CHAOS_SANDBOXES=" + strings.Join(sandboxes, ","),
				"CHROMIUM=" + testenv.Chromium(t), "CONTEXTS=8", "SESSIONS_RESERVE=0", "SESSIONS_PER_CALLER=20", "DRAIN_TIMEOUT=10s",
			}, timing.settings...)...))
	}
	for i := range 2 {
		address := w.freeAddress()
		w.urls = append(w.urls, "http://"+address)
		w.gateways = append(w.gateways, w.member("gateway-"+strconv.Itoa(i), "gateway", "", "", natsURL, "GATEWAY_ADDR="+address))
	}
	w.link()
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// connect connects the driver itself, past all wires.
func (w *world) connect(databaseURL, natsURL string) {
	w.Helper()
	var err error
	w.pool, err = pgxpool.New(w.Context(), databaseURL)
	w.must(err)
	w.Cleanup(w.pool.Close)
	w.log = eventlog.New(w.pool)
	w.vault, err = vault.Open(w.Context(), w.pool, keeperURL)
	w.must(err)
	w.Cleanup(func() { _ = w.vault.Close() })
	w.nats, err = nats.Connect(natsURL, nats.MaxReconnects(-1), nats.ReconnectWait(200*time.Millisecond))
	w.must(err)
	w.Cleanup(w.nats.Close)
}

// member starts a process with wires of its own; without a role it has none to
// the database.
func (w *world) member(name, program, databaseURL, role, natsURL string, env ...string) *member {
	w.Helper()
	bus, busURL, err := newWire(name+"-nats", natsURL)
	w.must(err)
	w.Cleanup(bus.close)
	env = append(env, "NATS_URL="+busURL)
	var database *wire
	if role != "" {
		var through string
		database, through, err = newWire(name+"-database", databaseURL)
		w.must(err)
		w.Cleanup(database.close)
		env = append(env, "DATABASE_URL="+schema.As(through, role))
	}
	m := newMember(w, name, program, env...)
	m.nats, m.database = bus, database
	w.must(m.start())
	w.Cleanup(func() {
		if err := m.stop(); err != nil {
			w.Error(err)
		}
	})
	w.members = append(w.members, m)
	return m
}

// serve serves HTTP on this machine until the test ends.
func (w *world) serve(handler http.Handler) (address string) {
	w.Helper()
	var lc net.ListenConfig
	listener, err := lc.Listen(w.Context(), "tcp", "127.0.0.1:0")
	w.must(err)
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: startLimit}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(listener)
	}()
	w.Cleanup(func() {
		_ = srv.Close()
		<-done
	})
	return "http://" + listener.Addr().String()
}

func (w *world) freeAddress() string {
	w.Helper()
	var lc net.ListenConfig
	listener, err := lc.Listen(w.Context(), "tcp", "127.0.0.1:0")
	w.must(err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func (w *world) url(gateway int) string { return w.urls[gateway%len(w.urls)] }

// eventually tries something until it works.
func (w *world) eventually(limit time.Duration, try func(context.Context) error) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), limit)
	defer cancel()
	for {
		err := try(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			w.Fatalf("after %v: %v", limit, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// edge is where the services tell of their appends. The answer lets them go on.
func (w *world) edge(_ http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	before, after := edgesOf(query["type"])
	i := slices.IndexFunc(w.services, func(m *member) bool { return m.name == query.Get("process") })
	if before == "" || i < 0 || query.Get("operation") == marketplace.CreateSession.Name {
		return
	}
	at, account := after, query.Get("account")
	if query.Get("when") == "before" {
		at = before
		w.note(query.Get("command"), query["type"])
	}
	if a := w.accountOf(account); at == starting && a != nil {
		w.origins.start(a, query.Get("command"))
	}
	w.mu.Lock()
	t := w.latest[account]
	w.mu.Unlock()
	w.reach(t, at, w.services[i])
}

// note notes when a service was about to append events of a command. A command is
// accepted once, however many attempts follow.
func (w *world) note(command string, types []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, of := range types {
		key := command + " " + of
		if _, told := w.told[key]; !told || of != event.TypeCommandAccepted {
			w.told[key] = time.Now()
		}
	}
}

// when is the time of an event by the driver's clock, as that of Postgres is set
// meanwhile.
func (w *world) when(e event.Event) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at, told := w.told[e.Command+" "+e.Type]; told {
		return at
	}
	return e.Time
}

// edgesOf returns the edges around an append of events of these types.
func edgesOf(types []string) (before, after edge) {
	for _, of := range []struct {
		event         string
		before, after edge
	}{
		{event.TypeCommandAccepted, accepting, accepted},
		{event.TypeEffectReconciled, settling, settled},
		{event.TypeEffectUnknown, doubting, doubted},
		{event.TypeCommandCompleted, ending, ended},
		{event.TypeCommandRejected, ending, ended},
		{event.TypeEffectStarted, starting, started},
	} {
		if slices.Contains(types, of.event) {
			return of.before, of.after
		}
	}
	return "", ""
}

// reach has the faults strike that a trial plans for an edge. Those that are
// the site's own it returns.
func (w *world) reach(t *trial, at edge, service *member) []*fault {
	if t == nil {
		return nil
	}
	w.visits(t, at)
	planned, service := t.due(at, service)
	var due []*fault
	for _, f := range planned {
		if w.strike(f, service, t.gateway) {
			due = append(due, f)
		} else {
			t.miss(f)
		}
	}
	return due
}
