package integration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"integration.gateway/contracts/audit"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/drift"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/session"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/signin"
)

// CloseTimeout bounds the end of the sessions, and after it that of the
// browser of operations, once the services are drained.
const CloseTimeout = 10 * time.Second

// Config holds the settings that an integration's process has besides those of
// service.Config. They come from environment variables of the names given here.
type Config struct {
	Chromium string `env:"CHROMIUM"`                 // path of the browser; empty: look for one
	Contexts int    `env:"CONTEXTS" envDefault:"32"` // accounts kept warm in the browser

	SitesDir    string            `env:"SITES_DIR"`                         // sites of the operator; see site.Config.Dir
	DefaultSite string            `env:"DEFAULT_SITE" envDefault:"sandbox"` // site of the accounts that name none
	SiteURLs    map[string]string `env:"SITE_URLS" envKeyValSeparator:"="`  // base URL by site, instead of the one in its site.yaml

	session.Config // of its sessions

	// InstanceLease is how long this process may be silent before the others
	// take it for dead and end its commands.
	InstanceLease time.Duration `env:"INSTANCE_LEASE" envDefault:"10s"`
	// ReconcileSettle is how long an application may go on with what a broken
	// command has begun: only after that time, what a reconcile flow does not
	// find did not happen.
	ReconcileSettle time.Duration `env:"RECONCILE_SETTLE" envDefault:"1m"`
}

// Validate returns an error that names each variable out of its range.
func (c *Config) Validate() error {
	return errors.Join(
		settings.Between("CONTEXTS", c.Contexts, 1, 1000),
		settings.Between("INSTANCE_LEASE", c.InstanceLease, command.MinInstanceLease, time.Hour),
		settings.Between("RECONCILE_SETTLE", c.ReconcileSettle, 0, 24*time.Hour),
		c.Config.Validate(),
	)
}

// Runner serves integrations on one host, with browsers of its own, which are
// the same for all: one for operations, and one for each session.
type Runner struct {
	// Log is where the events of commands go: the host's. Tests put something
	// in between.
	Log command.Log

	host     *service.Host
	browsers *browser.Pool
	instance *command.Instance
	drift    *drift.Recorder
	sessions *session.Keeper
	cfg      Config
}

// NewRunner registers this process as an instance and starts the browsers. Both
// end when the host is closed.
func NewRunner(ctx context.Context, host *service.Host, cfg Config) (*Runner, error) {
	browsers, err := browser.Open(ctx, browser.Config{Path: cfg.Chromium, MaxContexts: cfg.Contexts, Prepare: flow.Prepare, Log: host.Logger})
	if err != nil {
		return nil, err
	}
	host.OnClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), CloseTimeout)
		defer cancel()
		return browsers.Close(ctx)
	})
	host.ReadyWhile(func() bool { return browsers.Trouble() == nil }, "the browser cannot be started")
	instance, err := command.NewInstance(ctx, host.LogPool, cfg.InstanceLease, host.Logger)
	if err != nil {
		return nil, err
	}
	host.Go(instance.Run)
	drifts := drift.NewRecorder(drift.Config{Pool: host.LogPool, Log: host.Log, Logger: host.Logger, Metrics: host.Metrics})
	host.Go(drifts.Run)
	keeper, err := openKeeper(ctx, host, cfg, instance)
	if err != nil {
		return nil, err
	}
	return &Runner{Log: host.Log, host: host, browsers: browsers, instance: instance, drift: drifts, sessions: keeper, cfg: cfg}, nil
}

// openKeeper starts what keeps the sessions of this process. It ends when the
// host is closed.
func openKeeper(ctx context.Context, host *service.Host, cfg Config, instance *command.Instance) (*session.Keeper, error) {
	keeper, err := session.Open(ctx, session.Parts{
		Config: cfg.Config, Browser: browser.Config{Path: cfg.Chromium, Prepare: flow.Prepare, Log: host.Logger},
		Bus: host.Bus, Log: host.Log, Pool: host.LogPool, Instance: instance, Logger: host.Logger,
	})
	if err != nil {
		return nil, err
	}
	host.OnClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), CloseTimeout)
		defer cancel()
		return keeper.Close(ctx)
	})
	host.Go(keeper.Run)
	return keeper, nil
}

// Serve starts an integration. It takes requests until the host is closed.
// BaseURLs stand in, by site, for those of the sites' folders.
func (r *Runner) Serve(integration Integration, baseURLs map[string]string) error {
	sites, err := integration.OpenSites(r.cfg, baseURLs, r.host.Logger)
	if err != nil {
		return err
	}
	r.host.Go(sites.Run)
	recorder := command.Recorder{
		Log:      r.Log,
		Sealer:   r.host.Vault,
		Register: command.NewRegister(r.host.LogPool),
		Instance: r.instance,
		Site:     siteOfCommand,
	}
	stop, err := forgetStale(r.host.Bus, integration.Name, r.browsers, r.host.Vault)
	if err != nil {
		return fmt.Errorf("listen for accounts of %s whose state is stale: %w", integration.Name, err)
	}
	r.host.OnClose(stop)
	player := &Player{
		browsers: r.browsers, vault: r.host.Vault, log: r.host.Log, drift: r.drift, sessions: r.sessions,
		signIns: signin.New(r.host.LogPool, r.instance.ID), logger: r.host.Logger,
	}
	reconciler := newReconciler(player, sites, recorder, integration, r.cfg.ReconcileSettle)
	err = r.host.Start(bus.Config{
		Name:        integration.Name,
		Description: integration.Description,
		Chain:       commandChain(sites, recorder, integration.Entries()),
	}, func(srv *bus.Server) {
		for _, op := range integration.Operations {
			op.bind(srv, player)
		}
		bus.Handle(srv, audit.Settle(integration.Name), reconciler.settleByHand)
	})
	if err != nil {
		return err
	}
	recovery := command.Recovery{Recorder: recorder, Integration: integration.Name, Logger: r.host.Logger}
	r.host.Go(recovery.Run)
	r.host.Go(reconciler.run)
	return nil
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
		return runner.Serve(integration, cfg.SiteURLs)
	})
}
