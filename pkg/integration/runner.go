package integration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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
	// command has begun, where its site does not say: only after that time, what
	// a reconcile flow does not find did not happen, as far as anybody knows.
	ReconcileSettle time.Duration `env:"RECONCILE_SETTLE" envDefault:"5m"`
	// LateChecks are the times after that verdict at which the flow looks again.
	// Until the last one, the same effect needs its caller's consent.
	LateChecks []time.Duration `env:"LATE_CHECKS" envDefault:"10m,1h,24h"`
}

// Validate returns an error that names each variable out of its range.
func (c *Config) Validate() error {
	return errors.Join(
		settings.Between("CONTEXTS", c.Contexts, 1, 1000),
		settings.Between("INSTANCE_LEASE", c.InstanceLease, command.MinInstanceLease, time.Hour),
		settings.Between("RECONCILE_SETTLE", c.ReconcileSettle, 0, 24*time.Hour),
		validateChecks(c.LateChecks),
		c.Config.Validate(),
	)
}

// validateChecks returns an error unless the times of late checks rise, and are
// not too many.
func validateChecks(after []time.Duration) error {
	if len(after) > maxLateChecks {
		return fmt.Errorf("LATE_CHECKS has %d times; the most is %d", len(after), maxLateChecks)
	}
	last := time.Duration(0)
	for _, d := range after {
		if d < last+time.Millisecond || d > longestLateCheck {
			return fmt.Errorf("LATE_CHECKS must rise, from 1ms to %s: %s does not", longestLateCheck, d)
		}
		last = d
	}
	return nil
}

// Bounds of Config.LateChecks.
const (
	maxLateChecks    = 10
	longestLateCheck = 30 * 24 * time.Hour
)

// Runner serves integrations on one host, with browsers of its own, which are
// the same for all: one for operations, and one for each session.
type Runner struct {
	// Log is where the events of commands go: the host's. Tests put something
	// in between.
	Log command.Log

	host     *service.Host
	late     prometheus.Counter // effects that appeared after it had been settled that there was none
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
	late := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "effects_found_late_total", Help: "Effects that appeared at the application after it had been settled that there was none.",
	})
	host.Metrics.MustRegister(late)
	return &Runner{Log: host.Log, host: host, late: late, browsers: browsers, instance: instance, drift: drifts, sessions: keeper, cfg: cfg}, nil
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
		Journal:  r.host.Journal,
		Sealer:   r.host.Vault,
		Register: command.NewRegister(r.host.LogPool),
		Instance: r.instance,
		Site:     siteOfCommand,
		Late:     r.foundLate,
	}
	player := &Player{
		browsers: r.browsers, vault: r.host.Vault, register: recorder.Register, log: r.host.Log, drift: r.drift, sessions: r.sessions,
		signIns: signin.New(r.host.LogPool, r.instance.ID), logger: r.host.Logger,
	}
	recorder.User = player.userOfCommand
	stop, err := forgetStale(r.host.Bus, integration.Name, r.browsers, r.host.Vault)
	if err != nil {
		return fmt.Errorf("listen for accounts of %s whose state is stale: %w", integration.Name, err)
	}
	r.host.OnClose(stop)
	reconciler := newReconciler(player, sites, recorder, integration, r.cfg)
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

// foundLate alerts whoever watches over the service.
func (r *Runner) foundLate(command string) {
	r.late.Inc()
	r.host.Logger.Error("an effect has appeared after it had been settled that there was none; its caller may have asked for it again", "command", command)
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
