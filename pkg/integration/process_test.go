package integration

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/session"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
)

// shopService is the integration that the office's processes serve.
var shopService = Integration{
	Name: "marketplace", Sites: shopSite,
	Operations: []Operation{
		Flow(marketplace.Search), Flow(marketplace.BuyAgain), Flow(marketplace.BuyNow), Flow(marketplace.AddToCart), Session(marketplace.CreateSession),
	},
}

// street is the bus on which an office's processes are found.
type street struct {
	*office
	url string
	nc  *nats.Conn
}

func newStreet(t *testing.T) *street {
	t.Helper()
	s := &street{office: newOffice(t), url: testenv.NATSURL(t)}
	eventlogtest.Journal(t, s.url)
	var err error
	s.nc, err = bus.Connect(s.url, t.Name(), slog.New(slog.DiscardHandler))
	s.must(err)
	t.Cleanup(s.nc.Close)
	return s
}

// process is a whole process of the service.
type process struct {
	journal *journal
	metrics *prometheus.Registry
	close   func()
}

// process starts one. What an application has begun, it takes settle to finish.
func (s *street) process(settle time.Duration, through func(command.Log) command.Log, checks ...time.Duration) *process {
	s.Helper()
	cfg, err := settings.FromMap[service.Config](map[string]string{
		"DATABASE_URL": s.database, "NATS_URL": s.url, "VAULT_KEEPER_URL": keeperURL,
	})
	s.must(err)
	p := &process{journal: &journal{}}
	host, err := service.OpenHost(s.Context(), cfg, slog.New(slog.NewTextHandler(p.journal, nil)))
	s.must(err)
	p.metrics = host.Metrics
	p.close = sync.OnceFunc(func() {
		if err := host.Close(); err != nil {
			s.Error(err)
		}
	})
	s.Cleanup(p.close)
	runner, err := NewRunner(s.Context(), host, Config{
		Chromium: testenv.Chromium(s), Contexts: 2 * contextsPerLook, InstanceLease: lease, ReconcileSettle: settle, LateChecks: checks, DefaultSite: "shop",
		Config: session.Config{Max: 4, MaxCaller: 4, Time: time.Hour, Idle: time.Hour},
	})
	s.must(err)
	if through != nil {
		runner.Log = through(runner.Log)
	}
	s.must(runner.Serve(shopService, map[string]string{"shop": s.application.URL}))
	return p
}

// order sends an order over the bus.
func (s *street) order() (id string, res marketplace.Order, err error) {
	s.Helper()
	id = uuid.NewString()
	res, err = s.orderAs(id, "")
	return id, res, err
}

// orderAs sends an order as a command, at the risk that what another did is done
// twice.
func (s *street) orderAs(id, risk string) (res marketplace.Order, err error) {
	s.Helper()
	ctx := bus.WithIdentity(s.Context(), bus.Identity{CommandID: id, CallerID: "caller", AccountID: s.account, DuplicateRisk: risk})
	req := &marketplace.BuyNowRequest{Body: marketplace.ItemChoice{ASIN: item}}
	return res, bus.Call(ctx, s.nc, marketplace.BuyNow.Info(), req, &res)
}

// doubtfulOrder sends an order of which nobody knows whether it was placed.
func (s *street) doubtfulOrder() (id string) {
	s.Helper()
	id, _, err := s.order()
	if err == nil || contracts.AsError(err).Kind != contracts.Unknown {
		s.Fatalf("the order ended with %+v, want it in doubt", err)
	}
	return id
}

// settle asks the service to settle a command.
func (s *street) settle(req *audit.SettleRequest) (res audit.Settlement, err error) {
	s.Helper()
	ctx := bus.WithIdentity(s.Context(), bus.Identity{CommandID: uuid.NewString(), CallerID: contracts.AdminCaller})
	err = bus.Call(ctx, s.nc, audit.Settle("marketplace").Info(), req, &res)
	return res, err
}

// told returns a command's events.
func (o *office) told(id string) []event.Event {
	o.Helper()
	events, err := o.log.Stream(o.Context(), event.CommandStream(id))
	o.must(err)
	return events
}

func types(events []event.Event) string {
	var all []string
	for _, e := range events {
		all = append(all, e.Type)
	}
	return strings.Join(all, " ")
}

// ended waits for a command's end.
func (o *office) ended(id string) []event.Event {
	o.Helper()
	var events []event.Event
	o.eventually("the end of the command", func() bool {
		events = o.told(id)
		return len(events) > 0 && events[len(events)-1].Type == event.TypeCommandCompleted
	})
	return events
}

// eventually waits until something holds that nothing announces.
func (o *office) eventually(what string, holds func() bool) {
	o.Helper()
	for end := time.Now().Add(40 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			o.Fatalf("waited in vain for %s", what)
		}
	}
}

// journal is a process's log.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
