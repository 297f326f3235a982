package devtools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/devtools"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// session is a browser that is served to clients: anna's, who is signed in.
type session struct {
	t      testing.TB
	ctx    context.Context
	pool   *browser.Pool
	page   *browser.Page
	site   *httptest.Server
	server *httptest.Server
	live   context.Context         // that it is served for
	revoke context.CancelCauseFunc // ends live
	closed chan struct{}           // one element for each time that a client closed the browser
	served chan error              // what Serve returned
}

// setup opens a session whose page is signed in.
func setup(t testing.TB) *session {
	t.Helper()
	s := lease(t, newSite(t))
	if err := s.page.Rod().Context(s.ctx).Navigate(s.site.URL + "/sign-in"); err != nil {
		t.Fatal(err)
	}
	s.handOver("")
	return s
}

// lease leases a page for a site, which is not handed over yet.
func lease(t testing.TB, site *httptest.Server) *session {
	t.Helper()
	dir, err := os.MkdirTemp("", "devtools-test-") //nolint:usetesting // t.TempDir is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	s := &session{t: t, site: site, closed: make(chan struct{}, 100), served: make(chan error, 100)}
	s.ctx = ctx
	s.live, s.revoke = context.WithCancelCause(ctx)
	s.pool, err = browser.Open(ctx, browser.Config{
		Path: testenv.Chromium(t), Dir: dir, Single: true, Reserve: -1, MaxPopups: 12,
		HangAfter: patience, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.pool.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	s.page, err = s.pool.Acquire(ctx, browser.Tenant{Account: "anna", Origins: []string{s.site.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.page.Release(true) })
	return s
}

// handOver lets clients in.
func (s *session) handOver(fresh string) {
	s.t.Helper()
	if err := s.page.HandOver(s.ctx, fresh); err != nil {
		s.t.Fatal(err)
	}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	s.t.Cleanup(func() {
		s.revoke(context.Canceled)
		s.server.Close()
	})
}

func (s *session) serve(w http.ResponseWriter, r *http.Request) {
	purpose, _ := strings.CutPrefix(r.URL.Path, "/sessions/7/devtools/browser/ticket-to-")
	s.served <- devtools.Serve(s.live, w, r, s.page, devtools.Config{
		Purpose: event.Purpose(purpose), Close: func() { s.closed <- struct{}{} },
		Logger: slog.New(slog.NewTextHandler(s.t.Output(), nil)),
	})
}

// url is where a client connects.
func (s *session) url(purpose event.Purpose) string {
	return "ws" + strings.TrimPrefix(s.server.URL, "http") + "/sessions/7/devtools/browser/ticket-to-" + string(purpose)
}

// newSite has a page with a form that greets who is signed in, and counts what
// is ordered there.
func newSite(t testing.TB) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/sign-in", func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "who", Value: "Anna", Path: "/", HttpOnly: true})
		_, _ = fmt.Fprint(w, "<title>In</title>signed in")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		name := "stranger"
		if who, err := r.Cookie("who"); err == nil {
			name = who.Value
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<title>Shop</title><h1>Hello %s</h1>
			<form action="/order" method="post"><input id="what" name="what"><button id="buy">Buy</button></form>
			<a id="load" href="/load" download="loot.txt">load</a><input id="file" type="file">
			<iframe src="data:text/html,<title>frame</title>in the frame"></iframe>`, name)
	})
	mux.HandleFunc("/order", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<title>Ordered</title><p id="done">ordered %s</p>`, r.FormValue("what"))
	})
	mux.HandleFunc("/to-file", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site
}

// wire is a client that speaks the protocol by hand.
type wire struct {
	t      testing.TB
	ctx    context.Context
	ws     *websocket.Conn
	lastID int
	heard  []message       // events that came while something else was awaited
	told   map[int]message // answers that did
}

type message struct {
	ID        *int            `json:"id"`
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     *struct {
		Code    int
		Message string
	} `json:"error"`
}

// object is a JSON object.
type object = map[string]any

func (s *session) dial(purpose event.Purpose) *wire {
	s.t.Helper()
	ws, _, err := websocket.Dial(s.ctx, s.url(purpose), nil) //nolint:bodyclose // the library says that it need not be
	if err != nil {
		s.t.Fatal(err)
	}
	ws.SetReadLimit(-1)
	s.t.Cleanup(func() { _ = ws.CloseNow() })
	return &wire{t: s.t, ctx: s.ctx, ws: ws, told: map[int]message{}}
}

func (w *wire) sendText(text string) {
	w.t.Helper()
	if err := w.ws.Write(w.ctx, websocket.MessageText, []byte(text)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) send(session, method string, params any) int {
	w.t.Helper()
	w.lastID++
	command := object{"id": w.lastID, "method": method}
	if session != "" {
		command["sessionId"] = session
	}
	if params != nil {
		command["params"] = params
	}
	text, err := json.Marshal(command)
	if err != nil {
		w.t.Fatal(err)
	}
	w.sendText(string(text))
	return w.lastID
}

func (w *wire) receive() message {
	w.t.Helper()
	m, err := w.tryReceive()
	if err != nil {
		for _, m := range w.heard {
			w.t.Logf("heard %s %s %.300s", m.SessionID, m.Method, m.Params)
		}
		w.t.Fatal(err)
	}
	return m
}

func (w *wire) tryReceive() (m message, err error) {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	_, text, err := w.ws.Read(ctx)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

// answer waits for the answer to a command.
func (w *wire) answer(id int) message {
	w.t.Helper()
	for {
		if m, is := w.told[id]; is {
			delete(w.told, id)
			return m
		}
		w.keep(w.receive())
	}
}

func (w *wire) keep(m message) {
	switch {
	case m.Method != "":
		w.heard = append(w.heard, m)
	case m.ID != nil:
		w.told[*m.ID] = m
	}
}

// call carries out a command that must work, and decodes its result into any
// value given.
func (w *wire) call(session, method string, params any, into ...any) string {
	w.t.Helper()
	m := w.answer(w.send(session, method, params))
	if m.Error != nil {
		w.t.Fatalf("%s: %s", method, m.Error.Message)
	}
	for _, value := range into {
		if err := json.Unmarshal(m.Result, value); err != nil {
			w.t.Fatalf("%s: %v", method, err)
		}
	}
	return string(m.Result)
}

// fails carries out a command that must not work, and returns the error's text.
func (w *wire) fails(session, method string, params any) string {
	w.t.Helper()
	m := w.answer(w.send(session, method, params))
	if m.Error == nil {
		w.t.Errorf("%s %v: it worked: %.200s", method, params, m.Result)
		return ""
	}
	return m.Error.Message
}

// event waits for an event that fits.
func (w *wire) event(method string, fits func(m message) bool) message {
	w.t.Helper()
	for n := 0; ; n++ {
		if n == len(w.heard) {
			w.keep(w.receive())
			n--
			continue
		}
		if m := w.heard[n]; m.Method == method && (fits == nil || fits(m)) {
			w.heard = append(w.heard[:n], w.heard[n+1:]...)
			return m
		}
	}
}

// info is what is told about a target.
type info struct{ TargetID, Type, URL, BrowserContextID, OpenerID string }

func (w *wire) targets() (infos []info) {
	w.t.Helper()
	var got struct{ TargetInfos []info }
	w.call("", "Target.getTargets", nil, &got)
	return got.TargetInfos
}

// attachTo attaches to a target.
func (w *wire) attachTo(target string) (session string) {
	w.t.Helper()
	var got struct{ SessionID string }
	w.call("", "Target.attachToTarget", object{"targetId": target, "flatten": true}, &got)
	return got.SessionID
}

// firstPage attaches to a page that is there.
func (w *wire) firstPage() (session string) {
	w.t.Helper()
	for _, target := range w.targets() {
		if target.Type == "page" {
			return w.attachTo(target.TargetID)
		}
	}
	w.t.Fatal("there is no page")
	return ""
}

// open opens a page of the site and waits for its document.
func (w *wire) open(session, url string) {
	w.t.Helper()
	w.call(session, "Page.enable", nil)
	w.heard = nil
	w.call(session, "Page.navigate", object{"url": url})
	w.event("Page.loadEventFired", func(m message) bool { return m.SessionID == session })
}

// loaded waits until a document has loaded, by its lifecycle events.
func (w *wire) loaded(session, loader string) {
	w.t.Helper()
	w.event("Page.lifecycleEvent", func(m message) bool {
		var e struct{ Name, LoaderID string }
		return m.SessionID == session && json.Unmarshal(m.Params, &e) == nil && e.Name == "load" && e.LoaderID == loader
	})
}

// orders waits for the page that tells of an order.
func (w *wire) orders(session string) (done string) {
	w.t.Helper()
	var e struct {
		Frame struct{ URL, LoaderID string }
	}
	w.event("Page.frameNavigated", func(m message) bool {
		return m.SessionID == session && json.Unmarshal(m.Params, &e) == nil && strings.HasSuffix(e.Frame.URL, "/order")
	})
	w.loaded(session, e.Frame.LoaderID)
	return w.eval(session, "document.querySelector('#done').innerText")
}

// eval evaluates an expression in a page, as a string.
func (w *wire) eval(session, expression string) string {
	w.t.Helper()
	var got struct{ Result struct{ Value any } }
	w.call(session, "Runtime.evaluate", object{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}, &got)
	return fmt.Sprint(got.Result.Value)
}

// ends returns with which code and reason the connection ends.
func (w *wire) ends() (websocket.StatusCode, string) {
	w.t.Helper()
	for {
		_, err := w.tryReceive()
		if err == nil {
			continue
		}
		var closing websocket.CloseError
		if !errors.As(err, &closing) {
			w.t.Fatalf("it did not end with a word: %v", err)
		}
		return closing.Code, closing.Reason
	}
}

// rodSession is a session of go-rod's, past all that this package does.
type rodSession struct {
	*rod.Browser
	id proto.TargetSessionID
}

// GetSessionID is part of go-rod's interface of what can be called.
func (s *rodSession) GetSessionID() proto.TargetSessionID { return s.id }
