package accounts_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/signin"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/vault"
	"integration.gateway/services/accounts"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// bundle is a database with two instances of the service on it, which may do
// what the service's role may.
type bundle struct {
	databaseURL string
	pool        *pgxpool.Pool // of the database's administrator
	vault       *vault.Vault
	log         *faultyLog
	nats        *nats.Conn
	here        *accounts.Service
	processLog  buffer
	there       *accounts.Service // another instance
}

func setup(t *testing.T) *bundle {
	t.Helper()
	ctx := t.Context()
	databaseURL := testenv.DatabaseURL(t)
	for _, migrate := range []func(context.Context, string) error{eventlogtest.Migrate, signin.Migrate, vault.Migrate, accounts.Migrate} {
		if err := migrate(ctx, databaseURL); err != nil {
			t.Fatal(err)
		}
	}
	b := &bundle{databaseURL: databaseURL, pool: newPool(t, databaseURL)}
	own := schema.As(databaseURL, schema.Accounts)
	working := newPool(t, own)
	key := make([]byte, 32)
	rand.Read(key)
	var err error
	b.vault, err = vault.Open(ctx, working, "base64key://"+base64.URLEncoding.EncodeToString(key))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.vault.Close() })
	if b.nats, err = bus.Connect(testenv.NATSURL(t), t.Name(), b.logger()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.nats.Close)
	b.log = &faultyLog{Log: eventlog.New(working)}
	b.here = b.newService(working)
	b.there = b.newService(newPool(t, own))
	return b
}

func newPool(t *testing.T, databaseURL string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func (b *bundle) newService(pool *pgxpool.Pool) *accounts.Service {
	return accounts.New(accounts.Parts{
		Pool:         pool,
		Vault:        b.vault,
		Log:          b.log,
		LogPool:      pool,
		NATS:         b.nats,
		Integrations: []string{"marketplace", "agency", "marketplace"},
		Logger:       b.logger(),
	})
}

// faultyLog is an event log that can be made to fail.
type faultyLog struct {
	*eventlog.Log
	before func() error // called before each append
	after  func() error // called after each append that came through
}

func (l *faultyLog) Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error) {
	if l.before != nil {
		if err := l.before(); err != nil {
			return nil, err
		}
	}
	appended, err := l.Log.Append(ctx, stream, last, events...)
	if err == nil && l.after != nil {
		err = l.after()
	}
	return appended, err
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

// logger writes into the process log.
func (b *bundle) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(&b.processLog, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// caller creates a caller with an access token.
func (b *bundle) caller(t *testing.T) (callerID string, token *api.IssuedToken) {
	t.Helper()
	caller, err := b.here.CreateCaller(t.Context(), &api.CreateCallerRequest{Body: api.NewCaller{Name: "Assistant"}})
	if err != nil {
		t.Fatal(err)
	}
	token, err = b.here.IssueToken(t.Context(), &api.IssueTokenRequest{CallerID: caller.CallerID})
	if err != nil {
		t.Fatal(err)
	}
	return caller.CallerID, token
}

// The secrets of accounts that tests link; nothing but the vault may hold them.
const (
	username = "PRIVATE-jane@example.com"
	password = "PRIVATE-swordfish"
	secret   = "JBSW Y3DP EHPK 3PXP"
)

func newAccount(callerID, integration string) *api.LinkAccountRequest {
	return &api.LinkAccountRequest{Body: api.NewAccount{
		CallerID: callerID, Integration: integration, Site: "sandbox", Label: "pilot",
		Username: username, Password: password, OneTimeSecret: secret,
	}}
}

func (b *bundle) link(t *testing.T, callerID, integration string) *api.LinkedAccount {
	t.Helper()
	linked, err := b.here.LinkAccount(t.Context(), newAccount(callerID, integration))
	if err != nil {
		t.Fatal(err)
	}
	return linked
}

func authorize(t *testing.T, s *accounts.Service, accessToken, accountToken string) (*api.Authorization, error) {
	t.Helper()
	req := &api.AuthorizeRequest{Integration: "marketplace", AccessTokenHash: api.HashToken(accessToken)}
	if accountToken != "" {
		req.AccountTokenHash = api.HashToken(accountToken)
	}
	return s.Authorize(t.Context(), req)
}

// wantKind fails the test unless err is a *contracts.Error of the kind.
func wantKind(t *testing.T, err error, kind contracts.Kind) {
	t.Helper()
	var e *contracts.Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Errorf("got %v, want an error of kind %s", err, kind)
	}
}

// story returns the types of the events in an account's stream.
func (b *bundle) story(t *testing.T, accountID string) []string {
	t.Helper()
	events, err := b.log.Stream(t.Context(), event.AccountStream(accountID))
	if err != nil {
		t.Fatal(err)
	}
	types := []string{}
	for _, e := range events {
		types = append(types, e.Type)
	}
	return types
}
