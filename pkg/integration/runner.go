package integration

import (
	"context"
	"fmt"
	"os"
	"time"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
)

// closeTimeout bounds the end of the browsers.
const closeTimeout = 10 * time.Second

// Config holds the settings that an integration's process has besides those of
// service.Config. They come from environment variables of the names given here.
type Config struct {
	Chromium string `env:"CHROMIUM"`                 // path of the browser; empty: look for one
	Contexts int    `env:"CONTEXTS" envDefault:"32"` // accounts kept warm in the browser
	SiteURL  string `env:"SITE_URL"`                 // base URL of the site, instead of the one in its site.yaml
}

// Validate returns an error that names each variable out of its range.
func (c *Config) Validate() error {
	return settings.Between("CONTEXTS", c.Contexts, 1, 1000)
}

// Runner serves integrations on one host, with browsers of its own.
type Runner struct {
	host     *service.Host
	browsers *browser.Pool
}

// NewRunner starts the browsers. They end when the host is closed.
func NewRunner(ctx context.Context, host *service.Host, cfg Config) (*Runner, error) {
	browsers, err := browser.Open(ctx, browser.Config{Path: cfg.Chromium, MaxContexts: cfg.Contexts, Prepare: flow.Prepare, Log: host.Logger})
	if err != nil {
		return nil, err
	}
	host.OnClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		return browsers.Close(ctx)
	})
	return &Runner{host: host, browsers: browsers}, nil
}

// Serve starts an integration. It takes requests until the host is closed. A
// siteURL stands in for the base URL of the site's folder.
func (r *Runner) Serve(integration Integration, siteURL string) error {
	site, err := loadSite(integration, siteURL)
	if err != nil {
		return err
	}
	recorder := command.Recorder{
		Log:    r.host.Log,
		Sealer: r.host.Vault,
		Site:   func() (name, hash string) { return site.Name, site.Hash },
	}
	unlinked, err := forgetUnlinked(r.host.Bus, integration.Name, r.browsers)
	if err != nil {
		return fmt.Errorf("listen for unlinked accounts of %s: %w", integration.Name, err)
	}
	r.host.OnClose(unlinked.Unsubscribe)
	player := &Player{site: site, browsers: r.browsers, vault: r.host.Vault, log: r.host.Log, logger: r.host.Logger}
	return r.host.Start(bus.Config{
		Name:        integration.Name,
		Description: integration.Description,
		Chain:       recorder.Middleware,
	}, func(srv *bus.Server) { integration.Bind(srv, player) })
}

// Main runs one integration as a process until it receives SIGINT or SIGTERM.
func Main(integration Integration) {
	cfg, err := settings.FromEnv[Config]()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", integration.Name, err)
		os.Exit(1)
	}
	service.Run(integration.Name, func(ctx context.Context, host *service.Host) error {
		runner, err := NewRunner(ctx, host, cfg)
		if err != nil {
			return err
		}
		return runner.Serve(integration, cfg.SiteURL)
	})
}
