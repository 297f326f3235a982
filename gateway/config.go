package gateway

import (
	"errors"
	"fmt"
	"net"
	"time"

	"integration.gateway/pkg/settings"
)

// minAdminToken is the shortest admin token that is accepted, in characters.
const minAdminToken = 16

// Config is what an operator can set. Package settings reads it from the
// environment and fills in the defaults.
type Config struct {
	// Addr is where to listen: host:port, with port 0 for any free port.
	Addr string `env:"GATEWAY_ADDR" envDefault:"127.0.0.1:8080"`
	// AdminToken opens the routes under /admin.
	AdminToken string `env:"ADMIN_TOKEN,required,notEmpty"`
	// MaxBodyBytes is the longest request body.
	MaxBodyBytes int64 `env:"GATEWAY_MAX_BODY_BYTES" envDefault:"1048576"`
	// HeaderTimeout is how long a caller may take to send a request's head.
	HeaderTimeout time.Duration `env:"GATEWAY_HEADER_TIMEOUT" envDefault:"5s"`
	// BodyTimeout is how long a caller may take to send a request's body, and
	// then to take the answer.
	BodyTimeout time.Duration `env:"GATEWAY_BODY_TIMEOUT" envDefault:"30s"`
	// IdleTimeout ends a connection that carries no request.
	IdleTimeout time.Duration `env:"GATEWAY_IDLE_TIMEOUT" envDefault:"2m"`
	// SessionConnections is how many connections of clients to sessions are
	// carried at a time.
	SessionConnections int `env:"GATEWAY_SESSION_CONNECTIONS" envDefault:"256"`
	// DrainDelay is how long /readyz says no before the listener closes, so
	// that a load balancer can look away first.
	DrainDelay time.Duration `env:"GATEWAY_DRAIN_DELAY" envDefault:"0s"`
	// DrainTimeout is how long requests under way may go on once the listener
	// is closed. The default is enough for the longest operation, of 2 minutes,
	// and for what comes before and after it: tokens to authorize, an end to
	// record.
	DrainTimeout time.Duration `env:"GATEWAY_DRAIN_TIMEOUT" envDefault:"150s"`
}

// Validate returns an error that names each variable with a value that the
// gateway cannot work with.
func (c *Config) Validate() error {
	_, _, addrErr := net.SplitHostPort(c.Addr)
	if addrErr != nil {
		addrErr = errors.New("GATEWAY_ADDR must be host:port")
	}
	var tokenErr error
	if !wellFormed(c.AdminToken) || len(c.AdminToken) < minAdminToken {
		tokenErr = fmt.Errorf("ADMIN_TOKEN must have %d to %d letters, digits or -._~+/", minAdminToken, maxToken)
	}
	var bodyErr error
	if c.MaxBodyBytes < 1 {
		bodyErr = errors.New("GATEWAY_MAX_BODY_BYTES must be positive")
	}
	return errors.Join(addrErr, tokenErr, bodyErr,
		settings.Between("GATEWAY_SESSION_CONNECTIONS", c.SessionConnections, 1, 100_000),
		positive("GATEWAY_HEADER_TIMEOUT", c.HeaderTimeout),
		positive("GATEWAY_BODY_TIMEOUT", c.BodyTimeout),
		positive("GATEWAY_IDLE_TIMEOUT", c.IdleTimeout),
		positive("GATEWAY_DRAIN_DELAY", c.DrainDelay+1), // zero means none
		positive("GATEWAY_DRAIN_TIMEOUT", c.DrainTimeout),
	)
}

func positive(variable string, d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("%s is too short", variable)
	}
	return nil
}
