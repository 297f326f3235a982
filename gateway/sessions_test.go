package gateway_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/sessions"
	"integration.gateway/gateway"
	"integration.gateway/pkg/testenv"
)

const ticket = sessions.TicketPrefix + "c2VjcmV0LXRpY2tldC1vZi10aGUtdGVzdHM"

// host is a stand-in for a process that holds a session's browser.
type host struct {
	*httptest.Server
	id    string
	asked atomic.Int64
	on    *nats.Subscription

	mu   sync.Mutex
	seen []*http.Request
}

// hold answers on the bus for a new session, whose HTTP is handler's.
func hold(t testing.TB, nc *nats.Conn, handler http.HandlerFunc) *host {
	t.Helper()
	h := &host{id: uuid.Must(uuid.NewV7()).String()}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.seen = append(h.seen, r.Clone(context.WithoutCancel(r.Context())))
		h.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(h.Close)
	answer, err := json.Marshal(sessions.Holder{URL: h.URL})
	if err != nil {
		t.Fatal(err)
	}
	h.on, err = nc.Subscribe(sessions.Subject(h.id), func(msg *nats.Msg) {
		h.asked.Add(1)
		_ = msg.Respond(answer)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *host) path(rest string) string { return sessions.Path(h.id) + rest }

// took returns the one request that arrived since the last time.
func (h *host) took(t testing.TB) *http.Request {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.seen) != 1 {
		t.Fatalf("%d requests arrived", len(h.seen))
	}
	r := h.seen[0]
	h.seen = nil
	return r
}

func (h *host) tookNothing(t testing.TB) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.seen) != 0 {
		t.Errorf("%s %s arrived", h.seen[0].Method, h.seen[0].URL)
	}
	h.seen = nil
}

// serveSocket has a WebSocket of a session be served by talk.
func serveSocket(t testing.TB, talk func(ctx context.Context, conn *websocket.Conn) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Errorf("accept: %v", err)
			return
		}
		defer conn.CloseNow()
		conn.SetReadLimit(-1)
		_ = talk(r.Context(), conn)
	}
}

// echo sends back each message, after a first one that says that it is there.
func echo(ctx context.Context, conn *websocket.Conn) error {
	if err := conn.Write(ctx, websocket.MessageText, []byte("hello")); err != nil {
		return err
	}
	for {
		kind, data, err := conn.Read(ctx)
		if err == nil {
			err = conn.Write(ctx, kind, data)
		}
		if err != nil {
			return err
		}
	}
}

// attach connects a client to a session through a gateway.
func (e *edge) attach(t testing.TB, h *host) *websocket.Conn {
	t.Helper()
	conn, res, err := websocket.Dial(limited(t), e.socket(h), nil) //nolint:bodyclose // the library closes it
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusSwitchingProtocols || res.Header.Get("Command-Id") == "" {
		t.Errorf("status %d, %v", res.StatusCode, res.Header)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(-1)
	return conn
}

// attachEcho connects a client to a session that echoes.
func (e *edge) attachEcho(t testing.TB, h *host) *websocket.Conn {
	t.Helper()
	conn := e.attach(t, h)
	if _, data, err := conn.Read(limited(t)); err != nil || string(data) != "hello" {
		t.Fatalf("got %q, %v", data, err)
	}
	return conn
}

func (e *edge) socket(h *host) string {
	return "ws" + strings.TrimPrefix(e.url, "http") + h.path(sessions.BrowserPath) + ticket
}

func limited(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// wantEnd fails the test unless the connection ends.
func wantEnd(t testing.TB, conn *websocket.Conn) {
	t.Helper()
	ctx := limited(t)
	for {
		if _, _, err := conn.Read(ctx); err != nil {
			if ctx.Err() != nil {
				t.Error("the connection goes on")
			}
			return
		}
	}
}

func TestClientAndHolderTalkThroughTheGateway(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	h := hold(t, e.bus, serveSocket(t, echo))
	conn := e.attachEcho(t, h)
	r := h.took(t)
	if r.URL.Path != h.path(sessions.BrowserPath)+ticket || r.Host != strings.TrimPrefix(e.url, "http://") {
		t.Errorf("the holder is asked for %s at %s", r.URL, r.Host)
	}
	big := make([]byte, 8<<20)
	rand.Read(big)
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	for _, message := range [][]byte{{}, []byte("small"), big, []byte("after")} {
		sent := make(chan error, 1)
		go func() { sent <- conn.Write(ctx, websocket.MessageBinary, message) }()
		_, got, err := conn.Read(ctx)
		if err != nil || !bytes.Equal(got, message) {
			t.Fatalf("%d bytes came back as %d, %v", len(message), len(got), err)
		}
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
	}
	// A ping is answered by the holder, not by the gateway.
	pinged := make(chan error, 1)
	go func() { pinged <- conn.Ping(ctx) }()
	go func() { _, _, _ = conn.Read(ctx) }()
	if err := <-pinged; err != nil {
		t.Errorf("ping: %v", err)
	}
	metrics := send(t, e.request(t, http.MethodGet, "/metrics", "")).body
	if !strings.Contains(metrics, "gateway_session_connections 1") {
		t.Error("the metrics do not count it")
	}
	_ = conn.CloseNow()
	eventually(t, func() bool {
		metrics = send(t, e.request(t, http.MethodGet, "/metrics", "")).body
		return strings.Contains(metrics, "gateway_session_connections 0") &&
			strings.Contains(metrics, `gateway_requests_total{operation="sessions-browser",status="101"} 1`)
	})
	for _, secret := range []string{ticket, h.id} {
		if strings.Contains(metrics, secret) || strings.Contains(e.log.String(), secret) {
			t.Errorf("%s is in the metrics or the log", secret)
		}
	}
}

func TestCloseReasonsArrive(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	told := make(chan error, 1)
	h := hold(t, e.bus, serveSocket(t, func(ctx context.Context, conn *websocket.Conn) error {
		_, data, err := conn.Read(ctx)
		if string(data) == "end it" {
			return conn.Close(websocket.StatusGoingAway, "the session has ended")
		}
		told <- err
		return nil
	}))
	conn := e.attach(t, h)
	if err := conn.Write(limited(t), websocket.MessageText, []byte("end it")); err != nil {
		t.Fatal(err)
	}
	_, _, err := conn.Read(limited(t))
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != websocket.StatusGoingAway || closed.Reason != "the session has ended" {
		t.Errorf("the client hears %v", err)
	}
	if err := e.attach(t, h).Close(websocket.StatusNormalClosure, "done"); err != nil {
		t.Error(err)
	}
	if err := <-told; websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("the holder hears %v", err)
	}
}

func TestDeadHolderEndsItsClients(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	died := make(chan struct{})
	h := hold(t, e.bus, serveSocket(t, func(ctx context.Context, conn *websocket.Conn) error {
		err := conn.Write(ctx, websocket.MessageText, []byte("hello"))
		<-died
		return err // and its connection is closed without a word
	}))
	conn, other := e.attachEcho(t, h), e.attachEcho(t, h)
	close(died)
	wantEnd(t, conn)
	wantEnd(t, other)
	h.Close()                                                   // and nobody listens any more, though the bus still says so
	_, res, err := websocket.Dial(limited(t), e.socket(h), nil) //nolint:bodyclose // the library closes it
	if err == nil || res == nil || res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("got %v, %v", res, err)
	}
	if said := e.log.String(); !strings.Contains(said, "refused") || strings.Contains(said, ticket) || strings.Contains(said, h.id) {
		t.Errorf("the log says:\n%s", said)
	}
	if err := h.on.Unsubscribe(); err != nil {
		t.Fatal(err)
	}
	if err := e.bus.Flush(); err != nil {
		t.Fatal(err)
	}
	send(t, e.request(t, http.MethodGet, h.path(sessions.StatusPath), "")).wantError(t, http.StatusNotFound)
}

func TestClientThatDiesIsNoticedByTheHolder(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	ended := make(chan error, 2)
	h := hold(t, e.bus, serveSocket(t, func(ctx context.Context, conn *websocket.Conn) error {
		ended <- echo(ctx, conn)
		return nil
	}))
	for name, die := range map[string]func(conn net.Conn) error{
		"closed":    func(conn net.Conn) error { return conn.Close() },
		"half":      func(conn net.Conn) error { return conn.(*net.TCPConn).CloseWrite() },
		"cut short": func(conn net.Conn) error { return errors.Join(conn.(*net.TCPConn).SetLinger(0), conn.Close()) },
	} {
		var raw net.Conn
		client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (_ net.Conn, err error) {
			raw, err = new(net.Dialer).DialContext(ctx, network, address)
			return raw, err
		}}}
		conn, _, err := websocket.Dial(limited(t), e.socket(h), &websocket.DialOptions{HTTPClient: client}) //nolint:bodyclose // the library closes it
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := conn.Read(limited(t)); err != nil {
			t.Fatal(err)
		}
		if err := die(raw); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("%s: the holder hears of no end", name)
			}
		case <-time.After(patience):
			t.Errorf("%s: the holder hears of nothing", name)
		}
		_ = conn.CloseNow()
	}
}

// Whoever does not read holds up the sender, and nothing piles up in between.
func TestSlowReaderHoldsUpTheSender(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	const piece = 64 << 10
	var sent atomic.Int64
	h := hold(t, e.bus, serveSocket(t, func(ctx context.Context, conn *websocket.Conn) error {
		data := make([]byte, piece)
		for {
			if err := conn.Write(ctx, websocket.MessageBinary, data); err != nil {
				return err
			}
			sent.Add(piece)
		}
	}))
	conn := e.attach(t, h)
	before := standsStill(t, &sent)
	if before > 32<<20 { // the kernel's buffers of two connections on this machine
		t.Errorf("%d MiB were taken from the holder for a client that reads nothing", before>>20)
	}
	for range 3 * before / piece {
		if _, _, err := conn.Read(limited(t)); err != nil {
			t.Fatalf("it does not go on: %v", err)
		}
	}
	if sent.Load() <= before {
		t.Error("the holder is still held up")
	}
}

func TestClientThatNeverReadsIsLetGo(t *testing.T) {
	t.Parallel()
	nc := connect(t, testenv.NATSURL(t))
	server, err := gateway.New(config(t, nil), gateway.Deps{Bus: nc, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server.Hasten(200*time.Millisecond, time.Hour)
	front := httptest.NewServer(server.Handler())
	t.Cleanup(front.Close)
	ended := make(chan struct{})
	h := hold(t, nc, serveSocket(t, func(ctx context.Context, conn *websocket.Conn) error {
		defer close(ended)
		for {
			if err := conn.Write(ctx, websocket.MessageBinary, make([]byte, 1<<20)); err != nil {
				return err
			}
		}
	}))
	e := &edge{url: front.URL}
	e.attach(t, h)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the holder still waits for it")
	}
}

// A holder that was stopped in its tracks sends no ping any more.
func TestSilentHolderIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	nc := connect(t, testenv.NATSURL(t))
	server, err := gateway.New(config(t, nil), gateway.Deps{Bus: nc, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server.Hasten(time.Hour, 300*time.Millisecond)
	front := httptest.NewServer(server.Handler())
	t.Cleanup(front.Close)
	release := make(chan struct{})
	h := hold(t, nc, serveSocket(t, func(context.Context, *websocket.Conn) error { <-release; return nil }))
	e := &edge{url: front.URL}
	wantEnd(t, e.attach(t, h))
	close(release)
}

func TestDrainLetsClientsGo(t *testing.T) {
	t.Parallel()
	e, other := start(t, map[string]string{"GATEWAY_DRAIN_DELAY": "300ms"}), startBare(t, nil)
	h := hold(t, e.bus, serveSocket(t, echo))
	conn := e.attachEcho(t, h)
	search := holdSearch(t, e)
	result := inBackground(e.request(t, http.MethodGet, searchPath, ""))
	<-search.began
	stopped := make(chan error, 1)
	go func() { stopped <- e.stop() }()
	eventually(t, func() bool { return strings.Contains(e.log.String(), "gateway drains") })
	// While the load balancer looks away, clients go on.
	if err := conn.Write(limited(t), websocket.MessageText, []byte("still there")); err != nil {
		t.Fatal(err)
	}
	if _, data, err := conn.Read(limited(t)); err != nil || string(data) != "still there" {
		t.Errorf("got %q, %v", data, err)
	}
	wantEnd(t, conn) // and is not kept until the last request has its answer
	close(search.release)
	if err := errors.Join(<-result, <-stopped); err != nil {
		t.Error(err)
	}
	// Another gateway carries it on; the buses of the two are not the same here.
	again := hold(t, other.bus, serveSocket(t, echo))
	other.attachEcho(t, again)
}

// standsStill waits until nothing has been sent for a quarter of a second, and returns how much was sent before.
func standsStill(t *testing.T, sent *atomic.Int64) int64 {
	t.Helper()
	before, still := int64(-1), 0
	eventually(t, func() bool {
		time.Sleep(25 * time.Millisecond)
		if now := sent.Load(); now != before {
			before, still = now, 0
			return false
		}
		still++
		return still >= 10 && before > 0
	})
	return before
}

// A client that neither reads nor goes must not keep a gateway from its end.
func TestDrainDoesNotWaitForAClientThatReadsNothing(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	const piece = 64 << 10
	var sent atomic.Int64
	h := hold(t, e.bus, serveSocket(t, func(ctx context.Context, conn *websocket.Conn) error {
		for {
			if err := conn.Write(ctx, websocket.MessageBinary, make([]byte, piece)); err != nil {
				return err
			}
			sent.Add(piece)
		}
	}))
	e.attach(t, h)
	standsStill(t, &sent)
	begin := time.Now()
	if err := e.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	if strings.Contains(e.log.String(), "does not end") {
		t.Error("a connection was left")
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	e := startBare(t, map[string]string{"GATEWAY_SESSION_CONNECTIONS": "2"})
	h := hold(t, e.bus, serveSocket(t, echo))
	first := e.attachEcho(t, h)
	e.attachEcho(t, h)
	a := send(t, e.request(t, http.MethodGet, h.path(sessions.StatusPath), ""))
	if message := a.wantError(t, http.StatusServiceUnavailable); !strings.Contains(message, "which is 2") || a.Header.Get("Retry-After") == "" {
		t.Errorf("%s, %v", message, a.Header)
	}
	_ = first.CloseNow()
	eventually(t, func() bool {
		conn, _, err := websocket.Dial(limited(t), e.socket(h), nil) //nolint:bodyclose // the library closes it
		if err == nil {
			t.Cleanup(func() { _ = conn.CloseNow() })
		}
		return err == nil
	})
	if got := config(t, nil).SessionConnections; got != 256 {
		t.Errorf("it is %d unless it is set", got)
	}
}

func TestSeveralGatewaysCarryOneSession(t *testing.T) {
	t.Parallel()
	url := testenv.NATSURL(t)
	nc := connect(t, url)
	h := hold(t, nc, serveSocket(t, echo))
	for range 3 {
		server, err := gateway.New(config(t, nil), gateway.Deps{Bus: connect(t, url), Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		front := httptest.NewServer(server.Handler())
		t.Cleanup(front.Close)
		(&edge{url: front.URL}).attachEcho(t, h)
	}
	if got := h.asked.Load(); got != 3 {
		t.Errorf("the holder was asked %d times", got)
	}
}

// What tells who is asking goes no further than it has to.
func TestHolderSeesATicketWhereItNeedsOneAndNothingElseOfTheCaller(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	h := hold(t, e.bus, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write(append(body, "; done"...))
	})
	own := "Bearer " + ticket
	for _, c := range []struct {
		method, path, authorization string
		want                        string
	}{
		{"GET", sessions.StatusPath, own, own},
		{"POST", sessions.ViewPath, own, own},
		{"POST", sessions.StopPath, own, own},
		{"GET", sessions.LivePath, own, ""},
		{"GET", sessions.LivePath + "/page-1.js", own, ""},
		{"GET", sessions.BrowserPath + ticket, own, ""},
		{"GET", sessions.StatusPath, "Bearer " + accessToken, ""},
		{"GET", sessions.StatusPath, "Bearer " + adminToken, ""},
		{"GET", sessions.StatusPath, "Basic " + ticket, ""},
		{"POST", sessions.StopPath, "Bearer " + accessToken, ""},
		{"GET", sessions.LivePath, "Bearer " + accessToken, ""},
		{"GET", sessions.StatusPath, "", ""},
	} {
		body := ""
		if c.method == http.MethodPost {
			body = "{}"
		}
		r := e.request(t, c.method, h.path(c.path)+"?q=1", body)
		r.Header.Set("Authorization", c.authorization)
		for name, value := range map[string]string{
			"X-Forwarded-For": "10.1.1.1", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Forwarded": "for=10.1.1.1",
			"Cookie": "a=b", "Connection": "X-Private", "X-Private": "private", "Origin": "https://app.example", "Proxy-Authorization": "Basic x",
			"Upgrade": "h2c",
		} {
			r.Header.Set(name, value)
		}
		a := send(t, r)
		if a.StatusCode != http.StatusAccepted || a.body != body+"; done" || a.Header.Get("Command-Id") == "" {
			t.Errorf("%s %s: %d, %q, %v", c.method, c.path, a.StatusCode, a.body, a.Header)
		}
		got := h.took(t)
		if got.Header.Get("Authorization") != c.want || got.Method != c.method || got.URL.RequestURI() != h.path(c.path)+"?q=1" {
			t.Errorf("%s %s arrives as %s %s with %q, want %q", c.method, c.path, got.Method, got.URL, got.Header.Get("Authorization"), c.want)
		}
		if got.Host != strings.TrimPrefix(e.url, "http://") || got.Header.Get("Origin") != "https://app.example" {
			t.Errorf("host %s, origin %s", got.Host, got.Header.Get("Origin"))
		}
		for _, name := range []string{
			"X-Account-Token", "Cookie", "X-Private", "Proxy-Authorization", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded",
		} {
			if got.Header.Get(name) != "" {
				t.Errorf("%s arrives: %s", name, got.Header.Get(name))
			}
		}
	}
}

func TestHeadIsAnsweredAsGetWithoutABody(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	h := hold(t, e.bus, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the page") })
	a := send(t, e.request(t, http.MethodHead, h.path(sessions.LivePath), ""))
	if a.StatusCode != http.StatusOK || a.body != "" || a.ContentLength != 8 {
		t.Errorf("status %d, %q, %d bytes", a.StatusCode, a.body, a.ContentLength)
	}
	if got := h.took(t); got.Method != http.MethodHead {
		t.Errorf("it arrives as %s", got.Method)
	}
}

// Nothing but a session's own paths reaches its holder, and nothing but the id
// of a session reaches the bus.
func TestPathsThatLeadAstrayAre404(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	h := hold(t, e.bus, func(http.ResponseWriter, *http.Request) {})
	asked, err := e.bus.SubscribeSync("session.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.bus.Flush(); err != nil {
		t.Fatal(err)
	}
	id, up := h.id, strings.ToUpper(h.id)
	for _, route := range []string{
		"GET /sessions", "GET /sessions/", "GET /sessions/" + id, "GET /sessions/" + id + "/", "POST /sessions/" + id, "GET /sessions//status",
		"GET /sessions/*/status", "GET /sessions/%3E/status", "GET /sessions/" + id + ".x/status", "GET /sessions/" + id + "%20/status",
		"GET /sessions/x/status", "GET /sessions/" + up + "/status", "GET /sessions/%7B" + id + "%7D/status", "GET /sessions/" + id[:35] + "/status",
		"GET /sessions/" + strings.ReplaceAll(id, "-", "") + "/status", "GET /sessions/" + id + "%00/status", "GET /sessions/" + id + "%0d%0aPUB/status",
		"GET /sessions/urn:uuid:" + id + "/status", "GET /sessions/" + id + "%2Fstatus", "GET /sessions/" + id + "%2Fx/status", "GET /sessions/..%2F" + id + "/status",
		"GET /sessions/" + id + "/live/..", "GET /sessions/" + id + "/live/../status", "GET /sessions/" + id + "/live/%2e%2e/status",
		"GET /sessions/" + id + "/live/..%2fstatus", "GET /sessions/" + id + "/live/%2e%2e%2fstatus", "GET /sessions/" + id + "/live//x",
		"GET /sessions/" + id + "/live/a%5c..%5cb", "GET /sessions/" + id + "/live/%252e%252e/x", "GET /sessions/" + id + "/live/x%3Fy", "GET /sessions/" + id + "/live/ä",
		"GET /sessions/" + id + "/%6cive", "GET /sessions/" + id + "/devtools/browser", "GET /sessions/" + id + "/devtools/browser/",
		"GET /sessions/" + id + "/devtools/browser/" + ticket + "/x", "GET /sessions/" + id + "/devtools/page/" + ticket, "GET /sessions/" + id + "/json",
		"GET /sessions/" + id + "/metrics", "GET /sessions/" + id + "/status/", "GET /sessions/" + id + "/status/x", "POST /sessions/" + id + "/status",
		"GET /sessions/" + id + "/stop", "GET /sessions/" + id + "/view", "DELETE /sessions/" + id + "/status", "PUT /sessions/" + id + "/stop",
		"OPTIONS /sessions/" + id + "/status", "CONNECT /sessions/" + id + "/status", "TRACE /sessions/" + id + "/live",
		"POST /sessions/" + id + "/devtools/browser/" + ticket, "POST /sessions/" + id + "/live",
	} {
		method, path, _ := strings.Cut(route, " ")
		send(t, e.request(t, method, path, "")).wantError(t, http.StatusNotFound)
		h.tookNothing(t)
	}
	if err := e.bus.Flush(); err != nil {
		t.Fatal(err)
	}
	if pending, _, _ := asked.Pending(); pending != 0 {
		msg, _ := asked.NextMsg(patience)
		t.Errorf("%d were asked for, first %s", pending, msg.Subject)
	}
	if a := send(t, e.request(t, http.MethodGet, h.path(sessions.StatusPath), "")); a.StatusCode != http.StatusOK {
		t.Errorf("the right path: status %d", a.StatusCode)
	}
}

// Nobody learns from an answer whether a session is there.
func TestWrongTicketLooksLikeNoSession(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	h := hold(t, e.bus, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Told", "wrong ticket")
		http.NotFound(w, r)
	})
	wrong := send(t, e.request(t, http.MethodGet, h.path(sessions.StatusPath), ""))
	nothing := send(t, e.request(t, http.MethodGet, sessions.Path(uuid.NewString())+sessions.StatusPath, ""))
	wrong.wantError(t, http.StatusNotFound)
	for _, a := range []answer{wrong, nothing} {
		a.Header.Del("Command-Id")
		a.Header.Del("Date")
	}
	if diff := cmp.Diff(nothing.Header, wrong.Header); diff != "" || wrong.body != nothing.body {
		t.Errorf("%s and %s (-no session +wrong ticket):\n%s", nothing.body, wrong.body, diff)
	}
}

func TestHolderThatCannotBeReachedIsSaidSo(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	for name, answer := range map[string]string{
		"nobody listens":     `{"url":"http://127.0.0.1:1"}`,
		"no address":         `{"url":"file:///etc/passwd"}`,
		"an address with it": `{"url":"http://user:pass@127.0.0.1:1"}`,
		"no answer":          `gone`,
	} {
		id := uuid.NewString()
		if _, err := e.bus.Subscribe(sessions.Subject(id), func(msg *nats.Msg) { _ = msg.Respond([]byte(answer)) }); err != nil {
			t.Fatal(err)
		}
		if err := e.bus.Flush(); err != nil {
			t.Fatal(err)
		}
		a := send(t, e.request(t, http.MethodGet, sessions.Path(id)+sessions.BrowserPath+ticket, ""))
		if message := a.wantError(t, http.StatusServiceUnavailable); !strings.Contains(message, "try again") || a.Header.Get("Retry-After") != "5" {
			t.Errorf("%s: %s, %v", name, message, a.Header)
		}
		said := e.log.take()
		if !strings.Contains(said, "operation=sessions-browser") || !strings.Contains(said, "status=503") {
			t.Errorf("%s: the log says:\n%s", name, said)
		}
		for _, secret := range []string{ticket, id, "pass"} {
			if strings.Contains(strings.ReplaceAll(said, "etc/passwd", ""), secret) {
				t.Errorf("%s: %s is in the log:\n%s", name, secret, said)
			}
		}
	}
}

// The holder breaks off in the middle of an answer that is no WebSocket.
func TestAnswerThatBreaksOffIsNotWhole(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	h := hold(t, e.bus, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "part")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	r := e.request(t, http.MethodGet, h.path(sessions.LivePath), "")
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		_, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
	}
	if err == nil {
		t.Error("it looks whole")
	}
	if strings.Contains(e.log.String(), h.id) {
		t.Errorf("the log says:\n%s", e.log)
	}
}

func TestBodiesForHoldersAreBounded(t *testing.T) {
	t.Parallel()
	e := startBare(t, map[string]string{"GATEWAY_MAX_BODY_BYTES": "100"})
	h := hold(t, e.bus, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	a := send(t, e.request(t, http.MethodPost, h.path(sessions.ViewPath), strings.Repeat("x", 101)))
	if a.StatusCode == http.StatusOK {
		t.Errorf("status %d", a.StatusCode)
	}
}
