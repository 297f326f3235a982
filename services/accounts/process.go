package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/go-kit/kit/endpoint"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/service"
)

// Every call of the gateway asks Authorize first, and an answer takes about a
// millisecond: this service has more workers than those that drive browsers.
const (
	Workers = 16 // requests carried out at once
	queue   = 1024
)

// Serve runs the service on a process's host until the host is closed.
func Serve(host *service.Host) error {
	s := New(Parts{
		Pool:         host.VaultPool,
		Vault:        host.Vault,
		Log:          host.Log,
		LogPool:      host.LogPool,
		NATS:         host.Bus,
		Integrations: IntegrationsOf(catalog.All()),
		Logger:       host.Logger,
	})
	err := host.Start(bus.Config{
		Name:        "accounts",
		Description: "Callers, access tokens and linked accounts.",
		Workers:     Workers,
		Queue:       queue,
		Chain:       Chain,
	}, s.Bind)
	if err != nil {
		return err
	}
	host.Go(s.Run)
	return nil
}

// Chain gives words to the errors that have none: the database, the vault or the
// event log could not be reached, and soon can be.
func Chain(contracts.Info) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			response, err := next(ctx, request)
			if known := (*contracts.Error)(nil); err == nil || errors.As(err, &known) {
				return response, err
			}
			return nil, &contracts.Error{
				Kind: contracts.Unavailable, Message: "what is stored of the accounts could not be read or changed", RetryAfter: time.Second, Err: err,
			}
		}
	}
}
