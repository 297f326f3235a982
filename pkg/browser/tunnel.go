package browser

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// tunnelBuffer is what a tunnel reads at a time.
const tunnelBuffer = 32 << 10

// noRequest is up to how many bytes of TLS, written at once, are no request:
// the end of a handshake, or HTTP/2's own housekeeping. An idle HTTP/2
// connection often had the last word from the browser, and that was one of these.
const noRequest = 80

// quiet is for how long nothing has come of an answer that has ended.
const quiet = 20 * time.Millisecond

// tunnel is one connection of the browser to a site. It knows no more of what
// goes through than who spoke last, which tells whether an answer is awaited.
type tunnel struct {
	browser, site net.Conn

	mu        sync.Mutex
	begun     bool // the browser has written
	tls       bool
	websocket bool
	asked     bool      // the browser has asked, and the site not answered yet
	answered  time.Time // when the site wrote last
	retired   bool      // carries no further request
}

// carry passes bytes on in both directions until the browser has closed its
// end: it never closes half of it, and a site that goes on with an answer, or
// never ends it, must not keep the tunnel open for nobody.
func (t *tunnel) carry() {
	var back sync.WaitGroup
	back.Go(func() { t.pass(t.browser, t.site, t.toBrowser) })
	t.pass(t.site, t.browser, t.toSite)
	t.close()
	back.Wait()
}

// pass hands on what comes until it ends, and then that it has ended. A
// direction that fails ends the other one as well.
func (t *tunnel) pass(to, from net.Conn, write func([]byte) error) {
	buffer := make([]byte, tunnelBuffer)
	for {
		n, err := from.Read(buffer)
		if n > 0 && write(buffer[:n]) != nil {
			t.close()
			return
		}
		if errors.Is(err, io.EOF) {
			if half, is := to.(*net.TCPConn); is && half.CloseWrite() == nil {
				return
			}
		}
		if err != nil {
			t.close()
			return
		}
	}
}

func (t *tunnel) toSite(b []byte) error {
	t.mu.Lock()
	if !t.begun {
		t.begun, t.tls = true, b[0] == 22 // a handshake's record
		t.websocket = isWebSocket(b, t.tls)
	}
	request := !t.tls || len(b) > noRequest
	if t.retired && request && (t.tls || !t.asked) {
		t.mu.Unlock()
		return net.ErrClosed
	}
	t.asked = t.asked || request
	t.mu.Unlock()
	_, err := t.site.Write(b)
	return err
}

func (t *tunnel) toBrowser(b []byte) error {
	t.mu.Lock()
	t.asked, t.answered = false, time.Now()
	t.mu.Unlock()
	_, err := t.browser.Write(b)
	return err
}

// retire closes the tunnel if it is idle, or else sees to it that it carries no
// further request.
func (t *tunnel) retire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.websocket || t.begun && t.answered.IsZero() { // the latter may be in TLS's handshake
		return
	}
	t.retired = true
	if !t.asked && time.Since(t.answered) > quiet {
		t.close()
	}
}

func (t *tunnel) close() {
	_ = t.browser.Close() // a second time, or broken already
	_ = t.site.Close()
}

// isWebSocket tells a WebSocket by its first bytes. With TLS, it is the one
// that does not offer HTTP/2.
func isWebSocket(first []byte, tls bool) bool {
	if tls {
		return !bytes.Contains(first, []byte("\x02h2"))
	}
	return bytes.Contains(first, []byte("\r\nUpgrade: websocket\r\n"))
}
