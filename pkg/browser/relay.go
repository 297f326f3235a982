package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

const (
	dialTimeout  = 30 * time.Second // to the site
	greetTimeout = 10 * time.Second // from the browser's connection to its wish
	acceptPause  = 100 * time.Millisecond
)

// relay is how one context's connections reach the network: a SOCKS 5 proxy
// on the loopback interface, which passes bytes on as they are.
//
// It is there to keep pages out of the operator's network (see guard): Chromium's
// own guard of the local network does not look behind a proxy. All that a page
// asks for comes through it, whether it is a document, a redirect's, a fetch or a
// WebSocket; what could go past it, such as QUIC or WebRTC's UDP, is turned off.
//
// And it is there because Chromium sends a request again, a POST too, when a
// kept-alive connection that it reused ends without an answer, and nothing in
// Chromium turns that off or closes the connections that it keeps. The relay
// can close them: see closeIdle.
type relay struct {
	listener net.Listener
	guard    guard
	resolver *net.Resolver // nil: the system's
	ctx      context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup

	mu      sync.Mutex
	tunnels map[*tunnel]struct{}
}

// proxied tells whether the environment sends Chromium through another proxy.
// Then it gets no relay, and what closeIdle promises does not hold; which
// addresses pages can reach, that proxy decides alone.
func proxied() bool { return os.Getenv("http_proxy") != "" || os.Getenv("https_proxy") != "" }

// startRelay opens a relay that ends with ctx, or with close. The caller runs
// serve.
func startRelay(ctx context.Context, resolver *net.Resolver) (*relay, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("browser: open a relay: %w", err)
	}
	r := &relay{listener: listener, resolver: resolver, tunnels: map[*tunnel]struct{}{}}
	r.ctx, r.cancel = context.WithCancel(ctx)
	context.AfterFunc(r.ctx, r.shut)
	return r, nil
}

// address is the relay as Chromium's proxy.
func (r *relay) address() string { return "socks5://" + r.listener.Addr().String() }

// close ends the relay. Serve returns once its tunnels have ended.
func (r *relay) close() {
	if r != nil {
		r.cancel()
	}
}

func (r *relay) shut() {
	_ = r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for t := range r.tunnels {
		t.close()
	}
}

// serve accepts connections until the relay is closed.
func (r *relay) serve() {
	defer r.work.Wait()
	for r.ctx.Err() == nil {
		conn, err := r.listener.Accept()
		if err == nil {
			r.work.Go(func() { r.connect(conn) })
			continue
		}
		select { // out of descriptors, unless it is the end
		case <-time.After(acceptPause):
		case <-r.ctx.Done():
		}
	}
}

// connect makes a tunnel of the browser's connection and carries it.
func (r *relay) connect(browser net.Conn) {
	stop := context.AfterFunc(r.ctx, func() { _ = browser.Close() })
	site, err := r.open(browser)
	if !stop() || err != nil {
		_ = browser.Close() // Chromium tells the page in its own words
		if site != nil {
			_ = site.Close()
		}
		return
	}
	t := &tunnel{browser: browser, site: site}
	r.mu.Lock()
	r.tunnels[t] = struct{}{}
	r.mu.Unlock()
	if r.ctx.Err() != nil { // shut may not have seen it
		t.close()
	}
	t.carry()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tunnels, t)
}

// open connects to where the browser wishes to go, and tells it how that went.
func (r *relay) open(browser net.Conn) (net.Conn, error) {
	if err := browser.SetDeadline(time.Now().Add(greetTimeout)); err != nil {
		return nil, err
	}
	address, err := greet(browser)
	if err != nil {
		return nil, err
	}
	site, err := r.dial(address)
	if err != nil {
		return nil, errors.Join(err, answerWish(browser, wishFailed))
	}
	if err := errors.Join(answerWish(browser, wishGranted), browser.SetDeadline(time.Time{})); err != nil {
		return site, err
	}
	return site, nil
}

// dial connects to an address, where that is allowed.
func (r *relay) dial(address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout, Resolver: r.resolver, Control: r.guard.control(address)}
	return dialer.DialContext(r.ctx, "tcp", address)
}

// closeIdle sees to it that no request reaches a site from now on through a
// connection that is open now: those that are idle are closed, and those on
// which an answer is awaited, or is coming, end instead of taking a further
// request. Chromium then opens a new one. What it writes into a connection that
// the relay has closed has reached nobody, so that sending it again does no
// harm; and what fails on a new connection it does not send again. WebSockets
// stay, and what has just begun to connect.
func (r *relay) closeIdle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for t := range r.tunnels {
		t.retire()
	}
}
