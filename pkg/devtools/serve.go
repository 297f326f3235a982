package devtools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
)

const (
	// maxMessage bounds one message of a client's.
	maxMessage = 32 << 20
	// maxUnderWay bounds the commands of a client that wait for an answer, and
	// maxBytesUnderWay their parameters. One command has room at any time.
	maxUnderWay      = 4096
	maxBytesUnderWay = 64 << 20
	// writeTimeout is how long a client may take to read a message.
	writeTimeout = 30 * time.Second
	// pingEvery is how often a client is asked for a sign of life, and pingTimeout
	// how long it may take.
	pingEvery, pingTimeout = 15 * time.Second, 15 * time.Second
	// askTimeout bounds a question of our own to Chromium.
	askTimeout = 5 * time.Second
	// closeGrace is how long a client may take to answer the end of the connection.
	closeGrace = time.Second
)

// Why a connection ends, besides the browser's and the context's causes.
var (
	errLeft    = errors.New("the client left")
	errReturns = errors.New("the client closed the browser")
	errBinary  = errors.New("messages must be text")
	errSilent  = errors.New("the client does not answer")
	errUnread  = errors.New("the client does not read")
)

// Config says what a client may do.
type Config struct {
	// Purpose is what the client is for: to drive the browser, or to look at it.
	Purpose event.Purpose
	// Close is called at most once, before Serve returns, when the client has
	// asked for the browser's end. It must not wait for Serve.
	Close func()
	// Logger is told what goes wrong; nil for nobody.
	Logger *slog.Logger
}

// Serve carries one client until it, the browser or ctx ends; ctx's cause is
// told as the WebSocket's close reason. It owns neither page nor its pool. The
// error is nil when the client ended it.
func Serve(ctx context.Context, w http.ResponseWriter, r *http.Request, page *browser.Page, cfg Config) error {
	if _, known := policies[cfg.Purpose]; !known {
		http.Error(w, "There is nothing here.", http.StatusNotFound)
		return fmt.Errorf("devtools: no purpose %q", cfg.Purpose)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	// A browser names the page that connects; it must be one of this host.
	answer := &takeover{ResponseWriter: w, key: r.Header.Get(keyHeader)}
	ws, err := websocket.Accept(answer, standIn(r), &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return fmt.Errorf("devtools: %w", err) // the client has its answer
	}
	defer func() { _ = ws.CloseNow() }() // it is closed already, unless something panics
	ws.SetReadLimit(maxMessage)
	channel, err := page.OpenChannel(ctx)
	if err != nil {
		_ = ws.Close(websocket.StatusInternalError, reason(err))
		return fmt.Errorf("devtools: %w", err)
	}
	defer channel.Close()
	c := newClient(ws, channel, page, cfg.Purpose, cfg.Logger)
	c.plain = isOdd(answer.key)
	c.hangUp = func() { _ = answer.conn.Close() } // a second close
	err = c.carry(ctx)
	switch {
	case errors.Is(err, errReturns):
		if cfg.Close != nil {
			cfg.Close()
		}
		return nil
	case errors.Is(err, errLeft):
		return nil
	}
	return fmt.Errorf("devtools: %w", err)
}

// carry passes messages until one side ends, and returns why.
func (c *client) carry(ctx context.Context) error {
	line, cut := context.WithCancel(context.WithoutCancel(ctx)) // ends a little later, so that the reason can be told
	defer cut()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var work sync.WaitGroup
	work.Go(func() { c.listen(ctx, line, end) })
	work.Go(func() { end(c.tell(ctx, line)) })
	if !c.plain {
		work.Go(func() { end(c.ping(ctx)) })
	}
	<-ctx.Done()
	cause := context.Cause(ctx)
	overdue := time.AfterFunc(closeGrace, c.hangUp)
	defer overdue.Stop()
	if !c.plain {
		_ = c.ws.Close(status(cause), reason(cause)) // the client may be gone
	}
	cut()
	c.hangUp()
	work.Wait()
	return cause
}

// listen carries out the client's commands. After the end it goes on reading, for
// the client's goodbye.
func (c *client) listen(ctx, line context.Context, end context.CancelCauseFunc) {
	for {
		kind, text, err := c.ws.Read(line)
		switch {
		case err != nil:
			end(errLeft)
			return
		case ctx.Err() != nil:
		case kind != websocket.MessageText:
			end(errBinary)
		default:
			end := func(err error) {
				if err != nil {
					end(err)
				}
			}
			answer, err := c.handle(ctx, text)
			end(err)
			if answer != nil {
				end(c.write(line, answer))
			}
			if c.asksToClose {
				end(errReturns)
			}
		}
	}
}

// tell passes on what Chromium says.
func (c *client) tell(ctx, line context.Context) error {
	for {
		m, err := c.channel.Receive(ctx)
		if err != nil {
			return err
		}
		text, err := c.translate(ctx, m)
		if err == nil && text != nil {
			err = c.write(line, text)
		}
		if err != nil {
			return err
		}
	}
}

func (c *client) write(line context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(line, writeTimeout)
	defer cancel()
	err := c.ws.Write(ctx, websocket.MessageText, text)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && line.Err() == nil:
		return errUnread
	}
	return errLeft
}

// ping notices a client that is gone without a word.
func (c *client) ping(ctx context.Context) error {
	beat := time.NewTicker(pingEvery)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-beat.C:
		}
		if err := c.pingOnce(ctx); err != nil {
			return errSilent
		}
	}
}

func (c *client) pingOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return c.ws.Ping(ctx)
}

// status is the WebSocket's code for why a connection ends.
func status(cause error) websocket.StatusCode {
	switch {
	case errors.Is(cause, errReturns), errors.Is(cause, errLeft):
		return websocket.StatusNormalClosure
	case errors.Is(cause, errBinary):
		return websocket.StatusUnsupportedData
	case errors.Is(cause, errSilent), errors.Is(cause, errUnread), errors.Is(cause, browser.ErrSlow), errors.Is(cause, errTooMany):
		return websocket.StatusPolicyViolation
	}
	return websocket.StatusGoingAway
}

// reason is what a client is told, in the room that the protocol has for it.
func reason(cause error) string {
	const room = 123
	text := cause.Error()
	if errors.Is(cause, browser.ErrGone) || errors.Is(cause, browser.ErrClosed) || errors.Is(cause, browser.ErrReleased) {
		text = "the browser has ended"
	}
	for len(text) > room {
		_, last := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-last]
	}
	return text
}
