package browser_test

import (
	"context"
	"crypto/sha1" // the WebSocket handshake's own hash
	"encoding/base64"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/go-rod/rod"

	"integration.gateway/pkg/browser"
)

// TestIdleConnectionsAreClosed wants what is at work to go on, and what comes
// next to come over a new connection.
func TestIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	var connections atomic.Int64
	asked, goOn := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		select {
		case <-goOn:
			_, _ = w.Write([]byte("the answer"))
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/socket", echo)
	site := httptest.NewUnstartedServer(mux)
	site.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		connections.Add(1)
		return ctx
	}
	site.Start()
	t.Cleanup(site.Close)
	b.origins = []string{site.URL}

	page := b.acquire("anna")
	defer page.Release(true)
	p := visit(t, page, site.URL)
	result(t, p, `new Promise(open => { window.socket = new WebSocket('/socket'); socket.onopen = open })`)
	result(t, p, `fetch('/').then(r => r.text())`)
	result(t, p, `void (window.slow = fetch('/slow').then(r => r.text()))`)
	<-asked
	result(t, p, `fetch('/').then(r => r.text())`)

	before := connections.Load()
	result(t, p, `fetch('/').then(r => r.text())`)
	if n := connections.Load(); n != before {
		t.Fatalf("%d connections, want the %d that there were", n, before)
	}
	page.CloseIdleConnections()
	result(t, p, `fetch('/').then(r => r.text())`)
	if n := connections.Load(); n != before+1 {
		t.Errorf("%d connections, want a new one besides %d", n, before)
	}
	for range 20 { // nothing has come for a while on the connection that is asked
		result(t, p, `fetch('/').then(r => r.text())`)
		page.CloseIdleConnections()
	}
	close(goOn)
	if got := result(t, p, `window.slow`); got != "the answer" {
		t.Errorf("what was awaited is %q", got)
	}
	if got := result(t, p, `new Promise(got => { socket.onmessage = e => got(e.data); socket.onclose = () => got('closed'); socket.send('x') })`); got != "yes" {
		t.Errorf("the WebSocket said %q", got)
	}
}

// result evaluates an expression in the page and waits for its promise.
func result(t *testing.T, p *rod.Page, expression string) string {
	t.Helper()
	got, err := p.Eval("async () => String(await (" + expression + "))")
	if err != nil {
		t.Fatal(err)
	}
	return got.Value.Str()
}

// echo opens a WebSocket and says yes to the first message.
func echo(w http.ResponseWriter, r *http.Request) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	conn, stream, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	_, _ = stream.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: " + base64.StdEncoding.EncodeToString(sum[:]) + "\r\n\r\n")
	_ = stream.Flush()
	if _, err := stream.ReadByte(); err != nil {
		return
	}
	_, _ = stream.WriteString("\x81\x03yes")
	_ = stream.Flush()
	_, _ = stream.Discard(1 << 20) // until the page leaves
}
