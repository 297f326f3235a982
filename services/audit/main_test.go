package audit_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/proof"
	"integration.gateway/pkg/readmodel"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/vault"
	"integration.gateway/services/audit"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// testLimit bounds every wait of a test.
const testLimit = 60 * time.Second

// bundle is a database, a NATS account and the service on them, as its process
// runs it: under the keeper's role.
type bundle struct {
	databaseURL string
	natsURL     string
	keeperURL   string // of the vault
	key         string // that checkpoints are signed with
	verifier    string
	pool        *pgxpool.Pool // of a superuser
	log         *eventlog.Log
	vault       *vault.Vault
	nats        *nats.Conn
	processLog  buffer
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{databaseURL: testenv.DatabaseURL(t), natsURL: testenv.NATSURL(t)}
	for _, migrate := range []func(context.Context, string) error{eventlogtest.Migrate, vault.Migrate, readmodel.Migrate} {
		if err := migrate(t.Context(), b.databaseURL); err != nil {
			t.Fatal(err)
		}
	}
	secret := make([]byte, 32)
	rand.Read(secret)
	b.keeperURL = "base64key://" + base64.URLEncoding.EncodeToString(secret)
	var err error
	if b.key, b.verifier, err = proof.GenerateKey("log.test"); err != nil {
		t.Fatal(err)
	}
	if b.pool, err = pgxpool.New(t.Context(), b.databaseURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.pool.Close)
	if b.vault, err = vault.Open(t.Context(), b.pool, b.keeperURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.vault.Close() })
	if b.nats, err = bus.Connect(b.natsURL, t.Name(), b.logger()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.nats.Close)
	b.log = eventlog.New(b.pool, eventlog.WithNudge(eventlog.Nudge(b.nats)))
	return b
}

// logger writes into the process log.
func (b *bundle) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(&b.processLog, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// serve runs the service as its process does, until the test ends.
func (b *bundle) serve(t *testing.T) {
	t.Helper()
	hostConfig, err := settings.FromMap[service.Config](map[string]string{
		"NATS_URL": b.natsURL, "DATABASE_URL": schema.As(b.databaseURL, schema.Keeper), "VAULT_KEEPER_URL": b.keeperURL,
	})
	if err != nil {
		t.Fatal(err)
	}
	config, err := settings.FromMap[audit.Config](map[string]string{"CHECKPOINT_KEY": b.key, "CHECKPOINT_AGE": "50ms"})
	if err != nil {
		t.Fatal(err)
	}
	host, err := service.OpenHost(t.Context(), hostConfig, b.logger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if err := audit.Serve(host, config); err != nil {
		t.Fatal(err)
	}
}

// call carries out one operation over the bus for the operator, as the gateway does.
func call[Req, Res any](t *testing.T, b *bundle, op contracts.Operation[Req, Res], req *Req) *Res {
	t.Helper()
	res, err := try(t, b, op, req)
	if err != nil {
		t.Fatalf("%s: %v", op.Name, err)
	}
	return res
}

func try[Req, Res any](t *testing.T, b *bundle, op contracts.Operation[Req, Res], req *Req) (*Res, error) {
	t.Helper()
	return tryAs(t, b, bus.Identity{CallerID: contracts.AdminCaller}, op, req)
}

// tryAs carries out one operation for whoever the gateway says is asking.
func tryAs[Req, Res any](t *testing.T, b *bundle, asking bus.Identity, op contracts.Operation[Req, Res], req *Req) (*Res, error) {
	t.Helper()
	asking.CommandID = "request-1"
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	res := new(Res)
	err := bus.Call(bus.WithIdentity(ctx, asking), b.nats, op.Info(), req, res)
	return res, err
}

// eventually repeats ask until it is content, within testLimit.
func eventually(t *testing.T, ask func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(testLimit)
	for !ask() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("it did not come to pass")
		}
	}
}

// The accounts of the tests.
const (
	ann = "account-of-ann"
	bob = "account-of-bob"
)

// of makes an event of a command.
func of(t *testing.T, command, account string, p event.Payload) event.Event {
	t.Helper()
	e, err := event.New(p)
	if err != nil {
		t.Fatal(err)
	}
	e.Integration, e.Operation = "marketplace", "buy-now"
	e.Command, e.Caller, e.Account = command, "caller-1", account
	return e
}

func (b *bundle) append(t *testing.T, stream string, expected int64, events ...event.Event) {
	t.Helper()
	last, err := b.log.Last(t.Context(), stream)
	if err != nil || last.Version != expected {
		t.Fatalf("stream %s has version %d: %v", stream, last.Version, err)
	}
	if _, err := b.log.Append(t.Context(), stream, last, events...); err != nil {
		t.Fatal(err)
	}
}

// seal returns the JSON of a record whose field is personal.
func (b *bundle) seal(t *testing.T, account string) json.RawMessage {
	t.Helper()
	sealed, err := b.vault.SealFields(t.Context(), account, struct {
		Address string `json:"address" sensitive:"true"`
		Asin    string `json:"asin"`
	}{"PRIVATE", "B000000001"})
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

// order appends the whole story of a command that placed an order, and that
// signed in on the way.
func (b *bundle) order(t *testing.T, account string) (id string) {
	t.Helper()
	id = uuid.Must(uuid.NewV7()).String()
	stream := event.CommandStream(id)
	b.append(t, stream, 0, of(t, id, account, event.CommandAccepted{Request: b.seal(t, account), Site: "sandbox", SiteHash: "5f70"}))
	signedIn := of(t, id, account, event.AccountSignedIn{Site: "sandbox"})
	past, err := b.log.Stream(t.Context(), event.AccountStream(account))
	if err != nil {
		t.Fatal(err)
	}
	b.append(t, event.AccountStream(account), int64(len(past)), signedIn)
	b.append(t, stream, 1, of(t, id, account, event.EffectStarted{Effect: contracts.Order, Vars: b.seal(t, account)}))
	b.append(t, stream, 2, of(t, id, account, event.EffectConfirmed{}),
		of(t, id, account, event.CommandCompleted{Outcome: event.Succeeded, Result: b.seal(t, account), DurationMS: 7}))
	return id
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
