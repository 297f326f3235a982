package bench_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/deploy/migration"
	"integration.gateway/gateway"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
	accountsservice "integration.gateway/services/accounts"
)

// BenchmarkCall compares a whole call whose operation takes no time with the
// sum of a bare NATS request and two bare inserts of rows of the same content.
// The call is a search over HTTP, with real tokens, that the service answers at
// once instead of driving a browser; it is recorded like any other.
func BenchmarkCall(b *testing.B) {
	databaseURL, natsURL := testenv.DatabaseURL(b), testenv.NATSURL(b)
	c, log := startCall(b, databaseURL, natsURL)
	path := marketplace.Search.Path + "?query=" + url.QueryEscape("coffee dripper")
	answer := c.call(http.MethodGet, path, "")
	events, err := log.Stream(b.Context(), event.CommandStream(c.command))
	if err != nil || len(events) != 2 {
		b.Fatalf("the call has left %d events: %v", len(events), err)
	}
	bare := openBare(b, databaseURL, natsURL, answer, events)

	var ours, theirs timings
	for b.Loop() {
		theirs.takeTurn(bare.call)
		ours.takeTurn(func() { c.call(http.MethodGet, path, "") })
	}
	report(b, "x-of-bare-parts", ours, "call-µs", theirs, "bare-µs")
}

// found is what the search answers with.
var found = marketplace.SearchResults{Items: []marketplace.Item{{
	ASIN: "B0CX23V2ZK", Title: "Ceramic pour-over coffee dripper, size 02",
	ItemURL: "https://shop.example/dp/B0CX23V2ZK", ImageURL: "https://shop.example/images/B0CX23V2ZK.png",
	Price: &contracts.Money{Amount: "24.99", Currency: "USD"}, Available: true,
}}}

// startCall starts what a call passes: a gateway, the accounts service and a
// service of the marketplace, with a caller that has one linked account.
func startCall(b *testing.B, databaseURL, natsURL string) (*client, reader) {
	b.Helper()
	if err := errors.Join(migration.Apply(b.Context(), databaseURL, databaseURL), eventlogtest.Migrate(b.Context(), databaseURL)); err != nil {
		b.Fatal(err)
	}
	logger := slog.New(slog.DiscardHandler)
	host := openHost(b, databaseURL, natsURL, logger)
	if err := accountsservice.Serve(host); err != nil {
		b.Fatal(err)
	}
	instance, err := command.NewInstance(b.Context(), host.LogPool, command.DefaultInstanceLease, host.Logger)
	if err != nil {
		b.Fatal(err)
	}
	host.Go(instance.Run)
	recorder := command.Recorder{
		Log: host.Log, Journal: host.Journal, Sealer: host.Vault, Register: command.NewRegister(host.LogPool), Instance: instance,
		Site: func(context.Context) (name, hash string) { return "none", "none" },
	}
	err = host.Start(bus.Config{Name: "marketplace", Chain: recorder.Middleware}, func(srv *bus.Server) {
		bus.Handle(srv, marketplace.Search, func(context.Context, *marketplace.SearchRequest) (*marketplace.SearchResults, error) {
			return &found, nil
		})
	})
	if err != nil {
		b.Fatal(err)
	}
	const adminToken = "igw_admin_of_the_benchmark"
	admin := &client{B: b, gateway: startGateway(b, natsURL, adminToken, logger), access: adminToken}
	return linkOne(b, admin), host.Log
}

// reader is the part of an event log that reads it.
type reader interface {
	Stream(ctx context.Context, stream string) ([]event.Event, error)
}

func openHost(b *testing.B, databaseURL, natsURL string, logger *slog.Logger) *service.Host {
	b.Helper()
	cfg, err := settings.FromMap[service.Config](map[string]string{
		"DATABASE_URL": databaseURL, "NATS_URL": natsURL,
		"VAULT_KEEPER_URL": "base64key://smGbjm71Nxd1Ig5FS0wj9SlbzAIrnolCz9bQQ6uAhl4=",
	})
	if err != nil {
		b.Fatal(err)
	}
	host, err := service.OpenHost(b.Context(), cfg, logger)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := host.Close(); err != nil {
			b.Errorf("close the services: %v", err)
		}
	})
	return host
}

// startGateway returns the gateway's address.
func startGateway(b *testing.B, natsURL, adminToken string, logger *slog.Logger) string {
	b.Helper()
	cfg, err := settings.FromMap[gateway.Config](map[string]string{"GATEWAY_ADDR": "127.0.0.1:0", "ADMIN_TOKEN": adminToken})
	if err != nil {
		b.Fatal(err)
	}
	edge, err := gateway.New(cfg, gateway.Deps{Bus: connect(b, natsURL), Log: logger})
	if err != nil {
		b.Fatal(err)
	}
	if err := edge.Listen(b.Context()); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- edge.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Errorf("stop the gateway: %v", err)
		}
	})
	return "http://" + edge.Addr()
}

// linkOne makes a caller with a linked account.
func linkOne(b *testing.B, admin *client) *client {
	b.Helper()
	post := func(path string, body any) []byte {
		return admin.call(http.MethodPost, path, encode(b, body))
	}
	caller := decode[accounts.Caller](b, post("/admin/v1/callers", accounts.NewCaller{Name: "Benchmark"}))
	token := decode[accounts.IssuedToken](b, post("/admin/v1/callers/"+caller.CallerID+"/tokens", accounts.NewToken{Label: "benchmark"}))
	account := decode[accounts.LinkedAccount](b, post("/admin/v1/accounts", accounts.NewAccount{
		CallerID: caller.CallerID, Integration: "marketplace", Username: "jane@example.com", Password: "not used",
	}))
	return &client{B: b, gateway: admin.gateway, access: token.AccessToken, account: account.AccountToken}
}

func connect(b *testing.B, natsURL string) *nats.Conn {
	b.Helper()
	nc, err := nats.Connect(natsURL)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(nc.Close)
	return nc
}

// bare does the two things that a call cannot do without: it asks somebody over
// NATS, and writes two rows.
type bare struct {
	*testing.B
	nc      *nats.Conn
	pool    *pgxpool.Pool
	request []byte
	rows    []event.Event
}

func openBare(b *testing.B, databaseURL, natsURL string, answer []byte, rows []event.Event) *bare {
	b.Helper()
	pool, err := pgxpool.New(b.Context(), databaseURL)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	_, err = pool.Exec(b.Context(), `CREATE TABLE bare (
		stream_id text NOT NULL, version bigint NOT NULL, recorded_at timestamptz NOT NULL,
		id text NOT NULL, type text NOT NULL, integration text NOT NULL, operation text NOT NULL,
		command text NOT NULL, caller text NOT NULL, account text NOT NULL, data bytea NOT NULL,
		prev_hash bytea NOT NULL, hash bytea NOT NULL, PRIMARY KEY (stream_id, version))`)
	if err != nil {
		b.Fatal(err)
	}
	answering := connect(b, natsURL)
	if _, err := answering.Subscribe("bare", func(msg *nats.Msg) { _ = msg.Respond(answer) }); err != nil {
		b.Fatal(err)
	}
	if err := answering.Flush(); err != nil { // the server knows of it
		b.Fatal(err)
	}
	return &bare{B: b, nc: connect(b, natsURL), pool: pool, request: rows[0].Data, rows: rows}
}

func (b *bare) call() {
	if _, err := b.nc.Request("bare", b.request, time.Second); err != nil {
		b.Fatal(err)
	}
	stream := uuid.NewString()
	for _, row := range b.rows {
		_, err := b.pool.Exec(b.Context(), `INSERT INTO bare VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			stream, row.Version, row.Time, row.ID, row.Type, row.Integration, row.Operation,
			row.Command, row.Caller, row.Account, []byte(row.Data), append([]byte{}, row.PrevHash...), row.Hash)
		if err != nil {
			b.Fatal(err)
		}
	}
}
