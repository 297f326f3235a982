package browser

import (
	"io"
	"net"
	"testing"
	"time"
)

// A site that goes on when the browser has left, as one with a stream of news
// does, keeps no tunnel.
func TestTunnelEndsWithTheBrowsersConnection(t *testing.T) {
	t.Parallel()
	site, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = site.Close() }()
	r, err := startRelay(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { defer close(served); r.serve() }()
	defer func() { r.close(); <-served }()

	browser, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r.guard.admit([]string{"http://" + site.Addr().String()}, false)
	port := site.Addr().(*net.TCPAddr).Port
	wish := []byte{socksVersion, 1, socksNoAuth, socksVersion, socksConnect, 0, socksIPv4, 127, 0, 0, 1, byte(port >> 8), byte(port)}
	if _, err := browser.Write(append(wish, "GET /news"...)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(browser, make([]byte, 12)); err != nil { // it is connected
		t.Fatal(err)
	}
	there, err := site.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = there.Close() }()
	_ = browser.Close()
	if err := there.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if sent, err := io.ReadAll(there); err != nil || string(sent) != "GET /news" { // and never closes
		t.Errorf("the site got %q, %v", sent, err)
	}
	for end := time.Now().Add(20 * time.Second); tunnels(r) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the tunnel is still open")
		}
	}
}

func tunnels(r *relay) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.tunnels)
}
