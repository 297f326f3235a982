package browser

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/go-rod/rod"
)

// nobody is the user and group that Chromium runs as when the caller is root
// and names no other.
const nobody = 65534

// Config says how a Pool runs Chromium. Its zero value is ready to use; a
// number or a time left at zero takes the default given with the field.
type Config struct {
	// Path is Chromium's binary. Default: what Find finds.
	Path string
	// Headed shows the browser's windows, on the X display that DISPLAY names.
	// It is for people who look on: it needs Chromium itself, not its headless
	// shell.
	Headed bool
	// UID and GID are the user and the group that Chromium runs as when the
	// caller is root. Default: 65534, nobody. They are not used otherwise.
	UID, GID int
	// Dir is where each Chromium's directory for user data is made; its user
	// must be able to reach it. Default: os.TempDir().
	Dir string
	// Log gets the process's life: starts, crashes, recycling. No account,
	// address or page content is ever logged. Default: nothing is logged.
	Log *slog.Logger
	// Resolver looks up the names of sites. Default: the system's.
	Resolver *net.Resolver
	// Prepare, if given, is called for each page before it is leased, ahead of
	// time where that can be: what it sets through go-rod, the lease finds. A
	// page that it fails for is not leased.
	Prepare func(ctx context.Context, page *rod.Page) error

	// Single makes it a pool of one lease at a time, of one account: MaxContexts
	// is one, and while the lease is out nothing is made or started for another.
	Single bool
	// MaxContexts bounds the accounts' contexts that are open, kept warm or
	// leased. The least recently used warm one makes room. Default: 16.
	MaxContexts int
	// MaxPages bounds the pages of one account's context. Default: 4.
	MaxPages int
	// MaxPopups bounds the windows that one leased page may have opened at a
	// time; further ones are closed at once. Default: 4.
	MaxPopups int
	// Reserve is how many blank contexts are kept ready for accounts to come;
	// negative means none. Default: 2.
	Reserve int
	// MaxWait bounds how long Acquire waits for room, or for Chromium to be
	// started, besides its context. Default: 10 s.
	MaxWait time.Duration
	// MaxWaiting bounds the Acquires that wait at a time. Default: 64.
	MaxWaiting int
	// RecycleAfter is how many leases one Chromium process serves before a
	// fresh one takes its place: go-rod's and Chromium's memory grows with
	// each. Default: 1000.
	RecycleAfter int
	// DrainTimeout is how long leases may keep a replaced process alive.
	// Default: 10 minutes.
	DrainTimeout time.Duration
	// StartTimeout bounds the start of Chromium. Default: 30 s.
	StartTimeout time.Duration
	// Heartbeat is how often Chromium and each leased page are asked whether
	// they still answer. Default: 5 s.
	Heartbeat time.Duration
	// HangAfter is how long an answer to that may take. A dialog that nobody
	// answers counts as a hang too. Default: 15 s.
	HangAfter time.Duration
}

func (c Config) withDefaults() (Config, error) {
	if c.Path == "" {
		find := Find
		if c.Headed {
			find = findHeaded
		}
		path, err := find()
		if err != nil {
			return c, err
		}
		c.Path = path
	}
	if c.Headed && isHeadlessShell(c.Path) {
		return c, errNoWindow
	}
	if c.Headed && os.Getenv(display) == "" {
		return c, errNoDisplay
	}
	for _, n := range []*int{&c.UID, &c.GID} {
		if *n < 0 {
			return c, fmt.Errorf("browser: UID and GID cannot be negative")
		}
		orDefault(n, nobody)
	}
	if c.Dir == "" {
		c.Dir = os.TempDir()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Single {
		c.MaxContexts = 1
	}
	if c.Reserve < 0 {
		c.Reserve = 0
	} else {
		orDefault(&c.Reserve, 2)
	}
	orDefault(&c.MaxContexts, 16)
	orDefault(&c.MaxPages, 4)
	orDefault(&c.MaxPopups, 4)
	orDefault(&c.MaxWait, 10*time.Second)
	orDefault(&c.MaxWaiting, 64)
	orDefault(&c.RecycleAfter, 1000)
	orDefault(&c.DrainTimeout, 10*time.Minute)
	orDefault(&c.StartTimeout, 30*time.Second)
	orDefault(&c.Heartbeat, 5*time.Second)
	orDefault(&c.HangAfter, 15*time.Second)
	return c, nil
}

func orDefault[T int | time.Duration](value *T, fallback T) {
	if *value <= 0 {
		*value = fallback
	}
}
