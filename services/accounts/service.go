// Package accounts is the service that knows the callers, their access tokens
// and the accounts that end users have linked. The operator manages them
// through the gateway's /admin/v1; the gateway itself asks Authorize about the
// tokens of each call.
//
// Only hashes of tokens are stored, and no answer about a token is cached, so
// that a revocation holds with the next call at every instance. Credentials go
// into the vault, sealed with the account's own key.
package accounts

import (
	"context"
	"embed"
	"log/slog"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/pkg/account"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/vault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates or updates the service's own tables. The vault and the event
// log bring theirs.
func Migrate(ctx context.Context, databaseURL string) error {
	return schema.Apply(ctx, databaseURL, "accounts_version", migrations)
}

// Parts are what the service is made of.
type Parts struct {
	Pool         *pgxpool.Pool // database of the service's own tables
	Vault        *vault.Vault
	Log          account.Log
	LogPool      *pgxpool.Pool // database of the event log, where sign-ins are noted, too
	NATS         *nats.Conn    // where GrantsSubject is told
	Integrations []string      // integrations that accounts can be linked at
	Logger       *slog.Logger
}

// Service carries out the operations of contracts/accounts.
type Service struct {
	pool         *pgxpool.Pool
	vault        *vault.Vault
	log          account.Log
	logPool      *pgxpool.Pool
	nats         *nats.Conn
	integrations []string     // sorted
	logger       *slog.Logger // tells what no event records: who was given a token
}

// New puts the service together. It starts nothing; Serve does.
func New(p Parts) *Service {
	integrations := slices.Sorted(slices.Values(p.Integrations))
	return &Service{
		pool:         p.Pool,
		vault:        p.Vault,
		log:          p.Log,
		logPool:      p.LogPool,
		nats:         p.NATS,
		integrations: slices.Compact(integrations),
		logger:       p.Logger,
	}
}

// IntegrationsOf returns the integrations of a catalogue at which accounts can
// be linked: those with an operation that acts on an account.
func IntegrationsOf(catalogue []contracts.Entry) []string {
	var names []string
	for _, entry := range catalogue {
		switch info := entry.Info(); info.Access {
		case contracts.AccountToken, contracts.SoleAccount:
			names = append(names, info.Integration)
		case contracts.AdminToken, contracts.CallerOrAdmin, contracts.Internal:
		}
	}
	return names
}

// Bind binds each operation to its method.
func (s *Service) Bind(srv *bus.Server) {
	bus.Handle(srv, accounts.Authorize, s.Authorize)
	bus.Handle(srv, accounts.CheckGrants, s.CheckGrants)

	bus.Handle(srv, accounts.CreateCaller, s.CreateCaller)
	bus.Handle(srv, accounts.ListCallers, s.ListCallers)

	bus.Handle(srv, accounts.IssueToken, s.IssueToken)
	bus.Handle(srv, accounts.ListTokens, s.ListTokens)
	bus.Handle(srv, accounts.RevokeToken, s.RevokeToken)

	bus.Handle(srv, accounts.LinkAccount, s.LinkAccount)
	bus.Handle(srv, accounts.ListAccounts, s.ListAccounts)
	bus.Handle(srv, accounts.GetAccount, s.GetAccount)
	bus.Handle(srv, accounts.ReissueAccountToken, s.ReissueAccountToken)
	bus.Handle(srv, accounts.RetrySignIn, s.RetrySignIn)
	bus.Handle(srv, accounts.UnlinkAccount, s.UnlinkAccount)
	bus.Handle(srv, accounts.EraseAccount, s.EraseAccount)
}
