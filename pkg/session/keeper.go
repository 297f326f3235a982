// Package session keeps the sessions of a process: signed-in browsers that are
// handed to their callers.
package session

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
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
	Append(ctx context.Context, stream string, expected int64, events ...event.Event) ([]event.Event, error)
	Stream(ctx context.Context, stream string) ([]event.Event, error)
}

// Keeper opens, serves and ends the sessions of a process.
type Keeper struct {
	parts Parts
}

// Open starts a keeper. The caller must Run and Close it.
func Open(_ context.Context, parts Parts) (*Keeper, error) { return &Keeper{parts}, nil }

// Request says for whom a session is opened, and how.
type Request struct {
	Identity    bus.Identity
	Integration string
	Site        string   // its name
	Version     string   // of the site; see browser.Tenant
	Origins     []string // of the site; see browser.Tenant

	// Restore returns the account's state for a fresh browser; see browser.Tenant.
	Restore func(context.Context) (*browser.State, error)
	// SignIn proves that the page is signed in, or signs it in, and returns the
	// address of the page that it stands on.
	SignIn func(ctx context.Context, page *browser.Page) (home string, err error)
	// Keep stores what the account's next browser goes on from.
	Keep func(ctx context.Context, page *browser.Page) error
}

// Create opens a session and hands it over. Its error is one of *contracts.Error
// where the limits are reached, and SignIn's own.
func (k *Keeper) Create(context.Context, Request) (*contracts.Session, error) {
	return nil, errors.New("sessions are not served yet")
}

// Handler serves the sessions under the paths of contracts/sessions.
func (k *Keeper) Handler() http.Handler { return http.NotFoundHandler() }

// Run looks after the sessions until ctx ends.
func (k *Keeper) Run(ctx context.Context) { <-ctx.Done() }

// Close ends all sessions, within ctx's time. Nothing of them is left then.
func (k *Keeper) Close(context.Context) error { return nil }
