package chaos_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// wire is the network between one process and one server.
type wire struct {
	proxy *toxiproxy.Proxy

	mu     sync.Mutex
	toxics int
	cuts   int // that hold at present

	troubles atomic.Int32 // that hold at present
}

var toxiproxies = toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())

// newWire lays a wire to a server and returns its URL through the wire.
func newWire(name, serverURL string) (*wire, string, error) {
	u, err := url.Parse(serverURL)
	if err != nil {
		return nil, "", err
	}
	w := &wire{proxy: toxiproxy.NewProxy(toxiproxies, name, "127.0.0.1:0", u.Host)}
	if err := w.proxy.Start(); err != nil {
		return nil, "", fmt.Errorf("lay the wire %s: %w", name, err)
	}
	u.Host = w.proxy.Listen
	return w, u.String(), nil
}

// cut breaks all connections and lets no new ones in for a while.
func (w *wire) cut(during time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cuts++; w.cuts == 1 {
		w.proxy.Stop()
	}
	w.later(during, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.cuts--; w.cuts == 0 {
			_ = w.proxy.Start() // on the port that it has had
		}
	})
}

// delay holds up what passes, each way.
func (w *wire) delay(each, during time.Duration) {
	w.poison(during, "upstream", "latency", fmt.Sprintf(`"latency": %d`, each.Milliseconds()))
	w.poison(during, "downstream", "latency", fmt.Sprintf(`"latency": %d`, each.Milliseconds()))
}

// loseRequests loses what the process sends, and then the connections.
func (w *wire) loseRequests(during time.Duration) {
	w.poison(during, "upstream", "timeout", `"timeout": 150`)
}

// loseAnswers has the server carry out what it is told, loses what it answers,
// and then the connections.
func (w *wire) loseAnswers(during time.Duration) {
	w.poison(during, "downstream", "timeout", `"timeout": 150`)
}

// reset resets the connections as soon as something passes.
func (w *wire) reset(during time.Duration) {
	w.poison(during, "downstream", "reset_peer", `"timeout": 0`)
}

// poison adds a toxic for a while. It acts when poison returns.
func (w *wire) poison(during time.Duration, stream, kind, attributes string) {
	w.mu.Lock()
	w.toxics++
	name := fmt.Sprintf("%s-%d", kind, w.toxics)
	w.mu.Unlock()
	toxic := fmt.Sprintf(`{"name": %q, "type": %q, "stream": %q, "attributes": {%s}}`, name, kind, stream, attributes)
	if _, err := w.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		panic(err) // a mistake above
	}
	w.later(during, func() { _ = w.proxy.Toxics.RemoveToxic(context.Background(), name) })
}

func (w *wire) later(after time.Duration, restore func()) {
	w.troubles.Add(1)
	time.AfterFunc(after, func() {
		defer w.troubles.Add(-1)
		restore()
	})
}

// awaitWhole waits until no trouble holds any more: each ends by itself.
func (w *wire) awaitWhole() {
	for w.troubles.Load() > 0 {
		time.Sleep(20 * time.Millisecond)
	}
}

// close takes the wire away.
func (w *wire) close() {
	w.awaitWhole()
	w.proxy.Stop()
}
