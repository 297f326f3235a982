package stack

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"integration.gateway/services/applications"
)

// Config holds the settings of a stack. They come from environment variables
// of the names given here. Two stacks run side by side when their RUN_DIR and
// GATEWAY_ADDR differ.
type Config struct {
	RunDir       string   `env:"RUN_DIR" envDefault:".run"`                // everything that the stack keeps
	GatewayAddr  string   `env:"GATEWAY_ADDR" envDefault:"127.0.0.1:8080"` // where the API listens
	Integrations []string `env:"INTEGRATIONS"`                             // which ones it serves; empty: all
	NATSURL      string   `env:"STACK_NATS_URL"`                           // a NATS server with JetStream; empty: one in this process
	NATSPort     int      `env:"NATS_PORT"`                                // of the server in this process; 0: any free port
	DatabaseURL  string   `env:"STACK_DATABASE_URL"`                       // a Postgres database; empty: a server of the stack's own
	PostgresPort int      `env:"POSTGRES_PORT"`                            // of the stack's own server; 0: any free port
	SandboxHost  string   `env:"SANDBOX_HOST" envDefault:"127.0.0.1"`      // where the sandbox sites listen, each on a free port
	Chromium     string   `env:"CHROMIUM"`                                 // path of the browser; empty: look for one
	Contexts     int      `env:"CONTEXTS" envDefault:"32"`                 // accounts kept warm in the browser
	SitesDir     string   `env:"SITES_DIR"`                                // sites besides the sandboxes'; see integration.Config
	DefaultSite  string   `env:"DEFAULT_SITE" envDefault:"sandbox"`        // site of the accounts that name none
	PublicURL    string   `env:"PUBLIC_URL"`                               // how callers reach the gateway: the base of the addresses of sessions; empty: where it listens
	// The settings of sessions are those of session.Config of the same names.
	SessionsMax       int           `env:"SESSIONS_MAX" envDefault:"8"`
	SessionsPerCaller int           `env:"SESSIONS_PER_CALLER" envDefault:"4"`
	SessionsReserve   int           `env:"SESSIONS_RESERVE" envDefault:"1"`
	SessionTime       time.Duration `env:"SESSION_TIME" envDefault:"30m"`
	SessionIdle       time.Duration `env:"SESSION_IDLE" envDefault:"5m"`
	// ReconcileSettle and LateChecks are integration.Config's settings of those names.
	ReconcileSettle time.Duration `env:"RECONCILE_SETTLE" envDefault:"5m"`
	LateChecks      string        `env:"LATE_CHECKS" envDefault:"10m,1h,24h"`
	StopTimeout     time.Duration `env:"STOP_TIMEOUT" envDefault:"20s"` // for requests under way: first at the gateway, then at the services
}

// path is a place in the stack's own folder.
func (c Config) path(elements ...string) string {
	return filepath.Join(append([]string{c.RunDir}, elements...)...)
}

// Validate checks what the types of the settings do not.
func (c Config) Validate() error {
	for _, name := range c.Integrations {
		if !slices.ContainsFunc(applications.All, func(a applications.Application) bool { return a.Name == name }) {
			return fmt.Errorf("INTEGRATIONS names an integration that does not exist; there are %s", strings.Join(applications.Names(), ", "))
		}
	}
	return nil
}

// applications are the integrations that the stack serves.
func (c Config) applications() []applications.Application {
	if len(c.Integrations) == 0 {
		return applications.All
	}
	return slices.DeleteFunc(slices.Clone(applications.All), func(a applications.Application) bool {
		return !slices.Contains(c.Integrations, a.Name)
	})
}
