package accounts

import (
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
	}, s.Bind)
	if err != nil {
		return err
	}
	host.Go(s.Run)
	return nil
}
