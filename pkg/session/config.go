package session

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"integration.gateway/pkg/settings"
)

// Config holds the settings of the sessions of a process. They come from
// environment variables of the names given here.
type Config struct {
	Addr      string `env:"SESSIONS_ADDR" envDefault:"127.0.0.1:0"`        // where this process serves its sessions to the gateways
	URL       string `env:"SESSIONS_URL"`                                  // how the gateways reach that; empty: the address that it listens on; {hostname} in it: this host's name
	PublicURL string `env:"PUBLIC_URL" envDefault:"http://127.0.0.1:8080"` // how callers reach the gateway: the base of a session's addresses

	Max       int `env:"SESSIONS_MAX" envDefault:"8"`        // open at a time in this process
	MaxCaller int `env:"SESSIONS_PER_CALLER" envDefault:"4"` // open at a time of one caller, over all processes
	Reserve   int `env:"SESSIONS_RESERVE" envDefault:"1"`    // browsers started ahead; 0: none

	Time time.Duration `env:"SESSION_TIME" envDefault:"30m"` // how long a session lasts at most
	Idle time.Duration `env:"SESSION_IDLE" envDefault:"5m"`  // and how long while nobody is connected
}

// hostname in SESSIONS_URL stands for the name of this host: that of a
// container is not known before it runs.
const hostname = "{hostname}"

// Validate returns an error that names each variable out of its range, and
// fills in the name of this host.
func (c *Config) Validate() error {
	if strings.Contains(c.URL, hostname) {
		name, err := os.Hostname()
		if err != nil {
			return fmt.Errorf("SESSIONS_URL: %w", err)
		}
		c.URL = strings.ReplaceAll(c.URL, hostname, name)
	}
	return errors.Join(
		settings.Between("SESSIONS_MAX", c.Max, 0, 1000),
		settings.Between("SESSIONS_PER_CALLER", c.MaxCaller, 0, 1000),
		settings.Between("SESSIONS_RESERVE", c.Reserve, 0, 100),
		settings.Between("SESSION_TIME", c.Time, time.Second, 24*time.Hour),
		settings.Between("SESSION_IDLE", c.Idle, time.Second, 24*time.Hour),
		checkURL("PUBLIC_URL", c.PublicURL),
		checkURL("SESSIONS_URL", c.URL),
	)
}

// checkURL takes an address that others are built on; empty stands for none.
func checkURL(name, address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("%s: not an address such as https://gateway.example", name)
	}
	return nil
}
