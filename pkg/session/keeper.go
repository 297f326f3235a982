// Package session keeps the sessions of a process: browsers, signed in for an
// account, that are handed to their callers.
//
// A session is a Chromium process of its own, which runs as those of package
// browser do. Nobody speaks to it but through this process, which serves it to
// the gateways (http.go) and asks of each request for a ticket (ticket.go) that
// only the answer to the session's caller held. One goroutine a session owns its
// life (session.go), from its first event to its last; what was handed over by a
// process that died, another one ends in the log (recovery.go).
package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/command"
)

// maxPages bounds the pages that clients have open in a session at a time,
// besides the one that it begins with.
const maxPages = 20

const (
	headerLimit = 10 * time.Second // for a client to send a request's header
	idleLimit   = 2 * time.Minute  // of a connection that carries no request
)

// Parts are what a Keeper works with. All are needed.
type Parts struct {
	Config   Config
	Browser  browser.Config // of each session's browser; what a session needs of its own is filled in
	Bus      *nats.Conn
	Log      Log
	Pool     *pgxpool.Pool     // database of the event log
	Instance *command.Instance // this process
	Logger   *slog.Logger
}

// Log is what is needed of the event log; *eventlog.Log has it.
type Log interface {
	Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error)
	Stream(ctx context.Context, stream string) ([]event.Event, error)
}

// Keeper opens, serves and ends the sessions of a process. It is safe for use by
// many goroutines.
type Keeper struct {
	parts Parts

	url      string // where the gateways reach it
	server   *http.Server
	listener net.Listener
	register register
	reserve  reserve
	ctx      context.Context // ends with Close
	stop     context.CancelFunc
	work     sync.WaitGroup // what Close waits for

	mu       sync.Mutex
	closed   bool
	instance string              // that the register has its sessions under
	taken    int                 // places: sessions that are open, being opened or being ended
	mine     map[string]struct{} // those, by their ids, and those whose end is being recorded
	sessions map[string]*session // handed over and not yet gone
}

// Open starts a keeper, which listens at once. The caller must Run and Close it.
func Open(ctx context.Context, parts Parts) (*Keeper, error) {
	k := &Keeper{parts: parts, instance: parts.Instance.ID(), register: register{parts.Pool}, mine: map[string]struct{}{}, sessions: map[string]*session{}}
	addr := parts.Config.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	var err error
	if k.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", addr); err != nil {
		return nil, fmt.Errorf("SESSIONS_ADDR: %w", err)
	}
	if k.url, err = reachedAt(k.listener, parts.Config.URL); err != nil {
		return nil, errors.Join(err, k.listener.Close())
	}
	k.ctx, k.stop = context.WithCancel(context.Background())
	k.reserve = newReserve(min(parts.Config.Reserve, parts.Config.Max), browserOf(parts.Browser), parts.Logger)
	k.server = &http.Server{Handler: k.Handler(), ReadHeaderTimeout: headerLimit, IdleTimeout: idleLimit, ErrorLog: slog.NewLogLogger(parts.Logger.Handler(), slog.LevelWarn)}
	k.work.Go(func() {
		if err := k.server.Serve(k.listener); !errors.Is(err, http.ErrServerClosed) {
			k.parts.Logger.Error("sessions are not served any more", "error", err)
		}
	})
	k.work.Go(func() { k.reserve.fill(k.ctx) })
	return k, nil
}

// reachedAt is where the gateways reach a listener.
func reachedAt(listener net.Listener, told string) (string, error) {
	if told != "" {
		return strings.TrimSuffix(told, "/"), nil
	}
	if at, is := listener.Addr().(*net.TCPAddr); is && at.IP.IsUnspecified() {
		return "", errors.New("SESSIONS_URL: say how the gateways reach this process, which listens on all addresses of SESSIONS_ADDR")
	}
	return "http://" + listener.Addr().String(), nil
}

// browserOf is how a session's browser runs.
func browserOf(cfg browser.Config) browser.Config {
	cfg.Single, cfg.Reserve, cfg.MaxPages, cfg.MaxPopups = true, 1, 1, maxPages
	return cfg
}

// Run looks after the sessions until ctx ends: it notices grants that have
// ended, and ends what processes that died have left behind.
func (k *Keeper) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { k.watchGrants(ctx) })
	loops.Go(func() { k.recover(ctx) })
	loops.Wait()
}

// Close ends all sessions and takes no more. When it returns without an error,
// nothing of them is left; ctx bounds what is recorded of their ends.
func (k *Keeper) Close(ctx context.Context) error {
	k.mu.Lock()
	k.closed = true
	for _, s := range k.sessions {
		s.end(ended(event.SessionShutdown))
	}
	k.mu.Unlock()
	over := context.AfterFunc(ctx, k.stop)
	defer over()
	for _, s := range k.all() {
		<-s.done
	}
	k.stop()
	err := k.server.Close()
	k.work.Wait()
	return errors.Join(err, k.reserve.close())
}

// all are the sessions that are there now.
func (k *Keeper) all() []*session {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := make([]*session, 0, len(k.sessions))
	for _, s := range k.sessions {
		all = append(all, s)
	}
	return all
}

// session returns the session of an id, or nil.
func (k *Keeper) session(id string) *session {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sessions[id]
}
