package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/contracts/event"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/devtools"
	"integration.gateway/pkg/session/live"
	"integration.gateway/pkg/testenv"
)

const (
	patience      = 30 * time.Second
	session       = "019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"
	controlTicket = "igw_st_control0000000000000000000000000000000000"
	testTicket    = "igw_st_test000000000000000000000000000000000000000"
	viewTicket    = "igw_st_view000000000000000000000000000000000000000"
)

// stand is a session with its browser, a site that the browser visits, and the
// server that people reach the session through.
type stand struct {
	t    *testing.T
	ctx  context.Context
	site *httptest.Server
	said chan string // what the site was told by its pages
	edge *httptest.Server

	lease *browser.Page // of the session's browser
	page  *rod.Page     // its first page, at the site's form, for the test itself

	mu      sync.Mutex
	ended   bool
	clients map[*client]struct{}
	expires time.Time
}

type client struct {
	sessions.Client
	cut context.CancelCauseFunc
}

func newStand(t *testing.T) *stand {
	t.Helper()
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	s := &stand{t: t, ctx: ctx, said: make(chan string, 1000), clients: map[*client]struct{}{}, expires: time.Now().Add(30 * time.Minute)}
	s.serveSite()
	s.startBrowser()
	s.edge = httptest.NewServer(s.handler())
	t.Cleanup(func() { s.cut(event.SessionShutdown); s.edge.Close() })
	s.connect()
	return s
}

// startBrowser starts the session's browser, as the keeper of sessions does, and
// has the test itself connected to it, beside the people.
func (s *stand) startBrowser() {
	dir, err := os.MkdirTemp("", "live-test-")
	must(s.t, err)
	s.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(s.t, os.Chmod(dir, 0o755))
	pool, err := browser.Open(s.ctx, browser.Config{Path: testenv.Chromium(s.t), Dir: dir, Single: true, Reserve: -1, MaxPopups: 8})
	must(s.t, err)
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		must(s.t, pool.Close(ctx))
	})
	s.lease, err = pool.Acquire(s.ctx, browser.Tenant{Account: "anna", Origins: []string{s.site.URL}})
	must(s.t, err)
	s.t.Cleanup(func() { s.lease.Release(false) })
	err = s.lease.Rod().Context(s.ctx).Navigate(s.site.URL + "/form.html")
	if err != nil && strings.Contains(err.Error(), "ERR_NETWORK_CHANGED") { // a container was started beside the test
		err = s.lease.Rod().Context(s.ctx).Navigate(s.site.URL + "/form.html")
	}
	must(s.t, err)
	must(s.t, s.lease.HandOver(s.ctx, ""))
}

func (s *stand) connect() {
	ctx, cancel := context.WithCancel(s.ctx)
	s.t.Cleanup(cancel)
	at := strings.Replace(s.edge.URL, "http", "ws", 1) + sessions.Path(session) + sessions.BrowserPath + testTicket
	ws, _, err := websocket.Dial(ctx, at, nil) //nolint:bodyclose // the library closes it
	must(s.t, err)
	ws.SetReadLimit(-1)
	s.t.Cleanup(func() { _ = ws.CloseNow() })
	remote := rod.New().Context(ctx).Client(cdp.New().Start(&wire{ctx, ws})).NoDefaultDevice()
	must(s.t, remote.Connect())
	s.page = remote.MustPages().First()
}

// wire lets go-rod speak over a WebSocket that answers pings.
type wire struct {
	ctx context.Context
	ws  *websocket.Conn
}

func (w *wire) Send(text []byte) error { return w.ws.Write(w.ctx, websocket.MessageText, text) }

func (w *wire) Read() ([]byte, error) {
	_, text, err := w.ws.Read(w.ctx)
	return text, err
}

// crash ends the first page's renderer, which no client may.
func (s *stand) crash() {
	s.t.Helper()
	channel, err := s.lease.OpenChannel(s.ctx)
	must(s.t, err)
	defer channel.Close()
	params, _ := json.Marshal(proto.TargetAttachToTarget{TargetID: s.page.TargetID, Flatten: true})
	must(s.t, channel.Send(s.ctx, browser.Message{ID: 1, Method: "Target.attachToTarget", Params: params}))
	for {
		m, err := channel.Receive(s.ctx)
		must(s.t, err)
		var attached proto.TargetAttachToTargetResult
		if m.ID == 1 && json.Unmarshal(m.Result, &attached) == nil {
			must(s.t, channel.Send(s.ctx, browser.Message{ID: 2, Session: string(attached.SessionID), Method: "Page.crash"}))
		}
		if m.Method == "Inspector.targetCrashed" {
			return
		}
	}
}

// serveSite serves testdata, a page of any title, and takes orders.
func (s *stand) serveSite() {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("testdata")))
	mux.HandleFunc("POST /say", func(_ http.ResponseWriter, r *http.Request) { s.said <- r.FormValue("text") })
	mux.HandleFunc("POST /order", func(w http.ResponseWriter, r *http.Request) {
		s.said <- fmt.Sprintf("order of %s, %s, %s", r.FormValue("name"), r.FormValue("note"), r.FormValue("size"))
		http.Redirect(w, r, "/page?title=Thank+you", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) {
		s.said <- "visit of " + r.FormValue("title")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		title := html.EscapeString(r.FormValue("title"))
		_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title><body style='background:#fff'><h1>%s</h1>", title, title)
	})
	s.site = httptest.NewServer(mux)
	s.t.Cleanup(s.site.Close)
}

// handler does what the keeper of sessions does for one session.
func (s *stand) handler() http.Handler {
	at := sessions.Path(session)
	mux := http.NewServeMux()
	page := live.Handler()
	mux.Handle("GET "+sessions.Path("{id}")+sessions.LivePath, page)
	mux.Handle("GET "+sessions.Path("{id}")+sessions.LivePath+"/", page)
	mux.HandleFunc("GET "+at+sessions.StatusPath, s.withTicket(s.status))
	mux.HandleFunc("POST "+at+sessions.ViewPath, s.withTicket(func(w http.ResponseWriter, _ *http.Request, _ event.Purpose) {
		answer(w, sessions.Link{URL: s.address(viewTicket)})
	}))
	mux.HandleFunc("POST "+at+sessions.StopPath, s.withTicket(func(w http.ResponseWriter, _ *http.Request, _ event.Purpose) {
		s.end(event.SessionReleased)
		w.WriteHeader(http.StatusNoContent)
	}))
	mux.HandleFunc("GET "+at+sessions.BrowserPath+"{ticket}", s.browser)
	return mux
}

func (s *stand) address(ticket string) string {
	return s.edge.URL + sessions.Path(session) + sessions.LivePath + "#" + ticket
}

func (s *stand) purpose(ticket string) (event.Purpose, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	purpose, ok := map[string]event.Purpose{controlTicket: event.Control, viewTicket: event.View}[ticket]
	return purpose, ok && !s.ended
}

func (s *stand) withTicket(serve func(http.ResponseWriter, *http.Request, event.Purpose)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		purpose, ok := s.purpose(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if !ok {
			http.NotFound(w, r)
			return
		}
		serve(w, r, purpose)
	}
}

func (s *stand) status(w http.ResponseWriter, _ *http.Request, purpose event.Purpose) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := sessions.Status{Purpose: string(purpose), Now: time.Now(), Expires: s.expires, Clients: []sessions.Client{}}
	for c := range s.clients {
		now.Clients = append(now.Clients, c.Client)
	}
	answer(w, now)
}

func (s *stand) browser(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("ticket") == testTicket {
		_ = devtools.Serve(s.ctx, w, r, s.lease, devtools.Config{Purpose: event.Control})
		return
	}
	purpose, ok := s.purpose(r.PathValue("ticket"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	ctx, cut := context.WithCancelCause(r.Context())
	c := &client{sessions.Client{Purpose: string(purpose), Since: time.Now()}, cut}
	s.mu.Lock()
	s.clients[c] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.clients, c)
		s.mu.Unlock()
	}()
	_ = devtools.Serve(ctx, w, r, s.lease, devtools.Config{Purpose: purpose})
}

// cut ends all connections.
func (s *stand) cut(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		c.cut(errors.New(reason))
	}
}

// end ends the session.
func (s *stand) end(reason string) {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.cut(reason)
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

// hears waits until the site has been told this.
func (s *stand) hears(want string) {
	s.t.Helper()
	timeout := time.After(patience)
	var other []string
	for {
		select {
		case said := <-s.said:
			if said == want {
				return
			}
			other = append(other, said)
		case <-timeout:
			s.t.Fatalf("the site was not told %q, but %q", want, other)
		}
	}
}

// next is the next that the site is told with that beginning.
func (s *stand) next(beginning string) string {
	s.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case said := <-s.said:
			if strings.HasPrefix(said, beginning) {
				return said
			}
		case <-timeout:
			s.t.Fatalf("the site was not told %q", beginning)
		}
	}
}

// place is the middle of an element of the session's page, in that page's pixels.
func (s *stand) place(selector string) *proto.Point {
	s.t.Helper()
	return s.page.MustElement(selector).MustShape().OnePointInside()
}
