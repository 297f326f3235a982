// Package audit is the service that keeps the event log: it gives the events
// their order, copies them to JetStream and signs checkpoints; it keeps the read
// models; and it answers questions about all of it, under the gateway's /admin/v1:
// the operator's, and those of callers about their own commands and sessions. It
// is the only service that does so, under a database role of its own, which cannot append.
// Any number of instances may run: one of them leads.
package audit

import (
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/audit"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/vault"
)

// Parts are what the service is made of.
type Parts struct {
	Pool     *pgxpool.Pool // database of the event log and the read models
	NATS     *nats.Conn    // where the log's copy is, and the services of integrations
	Vault    *vault.Vault  // opens sealed fields
	Logger   *slog.Logger
	Problems []func() error // what works beside the service in this process: each tells what keeps it from its work, or nil
}

// Service carries out the operations of contracts/audit.
type Service struct {
	pool     *pgxpool.Pool
	log      *eventlog.Log
	nats     *nats.Conn
	vault    *vault.Vault
	logger   *slog.Logger // tells what no event records: whose personal data was opened, and who settled a command
	problems []func() error
}

// New puts the service together. It starts nothing; Serve does.
func New(p Parts) *Service {
	return &Service{
		pool:     p.Pool,
		log:      eventlog.New(p.Pool),
		nats:     p.NATS,
		vault:    p.Vault,
		logger:   p.Logger,
		problems: p.Problems,
	}
}

// Bind binds each operation to its method.
func (s *Service) Bind(srv *bus.Server) {
	bus.Handle(srv, audit.ListEvents, s.ListEvents)
	bus.Handle(srv, audit.ListCommands, s.ListCommands)
	bus.Handle(srv, audit.GetCommand, s.GetCommand)
	bus.Handle(srv, audit.ReconcileCommand, s.ReconcileCommand)
	bus.Handle(srv, audit.ListSessions, s.ListSessions)
	bus.Handle(srv, audit.GetSession, s.GetSession)
	bus.Handle(srv, audit.StopSession, s.StopSession)
	bus.Handle(srv, audit.GetLog, s.GetLog)
	bus.Handle(srv, audit.CheckLog, s.CheckLog)
	bus.Handle(srv, audit.ListDrift, s.ListDrift)
}
