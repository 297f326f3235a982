// Package devtools lets a client that is not trusted speak the DevTools
// protocol with one account's browser.
package devtools

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
)

// Config says what a client may do.
type Config struct {
	// Purpose is what the client is for: to drive the browser, or to look at it.
	Purpose event.Purpose
	// Close is called at most once, before Serve returns, when the client has
	// asked for the browser's end. It must not wait for Serve.
	Close func()
	// Logger is told how clients come and go; nil for nobody.
	Logger *slog.Logger
}

// Serve carries one client until it, the browser or ctx ends; ctx's cause is
// told as the WebSocket's close reason. It owns neither page nor its pool.
func Serve(ctx context.Context, w http.ResponseWriter, r *http.Request, page *browser.Page, cfg Config) error {
	return errors.New("devtools: not there yet")
}
