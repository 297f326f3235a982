package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"

	"integration.gateway/gateway"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/integration"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/services/accounts"
	"integration.gateway/services/applications"
)

// openGateway prepares the edge and takes its port, before anything slow
// happens, so that a port in use is told at once.
func (s *Stack) openGateway(ctx context.Context) (err error) {
	if s.Env.AdminToken, err = keep(s.cfg.path("admin-token"), newAdminToken); err != nil {
		return err
	}
	cfg, err := settings.FromMap[gateway.Config](map[string]string{
		"GATEWAY_ADDR": s.cfg.GatewayAddr, "ADMIN_TOKEN": s.Env.AdminToken,
		"GATEWAY_DRAIN_TIMEOUT": s.cfg.StopTimeout.String(),
	})
	if err != nil {
		return err
	}
	if s.bus, err = bus.Connect(s.Env.NATSURL, "gateway", s.logger); err != nil {
		return err
	}
	s.add("gateway's connection", func() error { s.bus.Close(); return nil })
	if s.edge, err = gateway.New(cfg, gateway.Deps{Bus: s.bus, Log: s.logger, Metrics: s.metrics}); err != nil {
		return err
	}
	if err := s.edge.Listen(ctx); err != nil {
		return err
	}
	s.add("gateway's port", s.edge.Close)
	s.Env.GatewayURL = "http://" + s.edge.Addr()
	return nil
}

// runGateway lets requests in.
func (s *Stack) runGateway(context.Context) error {
	s.run("gateway", s.edge.Run)
	return nil
}

// startSandboxes starts the stand-ins of the applications.
func (s *Stack) startSandboxes(context.Context) error {
	for _, i := range s.cfg.applications() {
		site, err := kit.Listen(net.JoinHostPort(s.cfg.SandboxHost, "0"), i.Sandbox())
		if err != nil {
			return err
		}
		s.run("sandbox of "+i.Name, site.Run)
		s.Env.SandboxURLs[i.Name] = site.URL()
	}
	return nil
}

// findChromium looks for the browser before anything slow happens, so that a
// missing one is told at once.
func (s *Stack) findChromium(context.Context) (err error) {
	if s.cfg.Chromium == "" {
		s.cfg.Chromium, err = browser.Find()
		return err
	}
	if s.cfg.Chromium, err = exec.LookPath(s.cfg.Chromium); err != nil {
		return fmt.Errorf("CHROMIUM: %w", err)
	}
	return nil
}

// integrationWorkers are those of each integration.
const integrationWorkers = 4

// startService opens the host of a service, which may do in the database what
// a role may, and runs it with what serve starts there. All of it carries out so
// many requests at once.
func (s *Stack) startService(ctx context.Context, name, role string, atOnce int, serve func(*service.Host) error) error {
	cfg, err := settings.FromMap[service.Config](map[string]string{
		"NATS_URL": s.Env.NATSURL, "DATABASE_URL": schema.As(s.Env.DatabaseURL, role), "VAULT_KEEPER_URL": s.Env.VaultKeeperURL,
		"WORKERS": strconv.Itoa(integrationWorkers), "DRAIN_TIMEOUT": s.cfg.StopTimeout.String(),
	})
	if err != nil {
		return err
	}
	cfg.AtOnce = atOnce
	host, err := service.OpenHost(ctx, cfg, s.logger)
	if err != nil {
		return err
	}
	if err := serve(host); err != nil {
		return errors.Join(err, host.Close())
	}
	s.metrics.MustRegister(host.Metrics)
	s.run(name, func(ctx context.Context) error {
		select {
		case err := <-host.Failed():
			return errors.Join(err, host.Close())
		case <-ctx.Done():
			return host.Close()
		}
	})
	return nil
}

// startAccounts starts the accounts service.
func (s *Stack) startAccounts(ctx context.Context) error {
	return s.startService(ctx, "accounts service", schema.Accounts, accounts.Workers, accounts.Serve)
}

// startIntegrations starts the service of each integration, all on one host.
func (s *Stack) startIntegrations(ctx context.Context) error {
	browsers, err := settings.FromMap[integration.Config](map[string]string{
		"CHROMIUM": s.cfg.Chromium, "CONTEXTS": strconv.Itoa(s.cfg.Contexts), "RECONCILE_SETTLE": s.cfg.ReconcileSettle.String(),
		"LATE_CHECKS": s.cfg.LateChecks,
		"SITES_DIR":   s.cfg.SitesDir, "DEFAULT_SITE": s.cfg.DefaultSite,
		"PUBLIC_URL":   cmp.Or(s.cfg.PublicURL, s.Env.GatewayURL),
		"SESSIONS_MAX": strconv.Itoa(s.cfg.SessionsMax), "SESSIONS_PER_CALLER": strconv.Itoa(s.cfg.SessionsPerCaller),
		"SESSIONS_RESERVE": strconv.Itoa(s.cfg.SessionsReserve),
		"SESSION_TIME":     s.cfg.SessionTime.String(), "SESSION_IDLE": s.cfg.SessionIdle.String(),
	})
	if err != nil {
		return err
	}
	atOnce := integrationWorkers * len(s.cfg.applications())
	return s.startService(ctx, "integrations", schema.Service, atOnce, func(host *service.Host) error {
		runner, err := integration.NewRunner(ctx, host, browsers)
		if err != nil {
			return err
		}
		for _, a := range s.cfg.applications() {
			if err := runner.Serve(a.Integration, map[string]string{applications.SandboxSite: s.Env.SandboxURLs[a.Name]}); err != nil {
				return fmt.Errorf("service %s: %w", a.Name, err)
			}
		}
		return nil
	})
}
