package flow_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/testenv"
)

// cutter is a site that ends the connection of each order without an answer.
type cutter struct {
	*httptest.Server
	orders  atomic.Int64
	arrived atomic.Int64
	all     chan struct{} // closed when all pictures have been asked for
}

// pictures are asked for at the same time: over HTTP/1.1, on a connection each.
const pictures = 4

type connKey struct{}

// newCutter serves /page, whose parts with the class late show once its
// pictures are there.
func newCutter(t *testing.T, protocol, page string) *cutter {
	t.Helper()
	c := &cutter{all: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		_, _ = fmt.Fprint(w, "<!doctype html><title>Shop</title><style>.late {display: none}</style>", page,
			"<script>onload = () => document.querySelector('style').remove()</script>")
		for n := range pictures {
			_, _ = fmt.Fprintf(w, `<img src="/picture?%d">`, n)
		}
	})
	mux.HandleFunc("/picture", func(_ http.ResponseWriter, r *http.Request) {
		if c.arrived.Add(1) == pictures {
			close(c.all)
		}
		select {
		case <-c.all:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/price", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "1") })
	mux.HandleFunc("POST /buy", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		c.orders.Add(1)
		conn, _ := r.Context().Value(connKey{}).(net.Conn)
		if secure, is := conn.(*tls.Conn); is {
			conn = secure.NetConn()
		}
		_ = conn.Close()
	})
	c.Server = httptest.NewUnstartedServer(mux)
	c.Config.ErrorLog = log.New(io.Discard, "", 0)
	c.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, conn)
	}
	c.EnableHTTP2 = protocol == "HTTP/2"
	if protocol == "HTTP/1.1" {
		c.Start()
	} else {
		c.StartTLS()
	}
	t.Cleanup(c.Close)
	return c
}

func TestActReachesTheSiteOnceThoughItsConnectionIsCut(t *testing.T) {
	t.Parallel()
	pool, err := browser.Open(t.Context(), browser.Config{
		Path: testenv.Chromium(t), MaxWait: time.Minute, // for Chromium to start on a busy machine
		Prepare: func(ctx context.Context, page *rod.Page) error { // the test's certificate is nobody's
			return proto.SecuritySetIgnoreCertificateErrors{Ignore: true}.Call(page.Context(ctx))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close(context.Background()) })

	const form = `<form method=post action=/buy><button id=buy class=late>Buy</button></form>`
	// Asks something first, so that its connection is kept alive for the order.
	const script = `<button id=buy class=late onclick="order()">Buy</button><p id=p>ordered</p><script>
		async function order() {
			await (await fetch('/price')).text()
			await fetch('/buy', {method: 'POST', body: '{}'}).catch(() => {})
			document.querySelector('#p').id = 'done'
		}</script>`
	for _, protocol := range []string{"HTTP/1.1", "HTTP/1.1 over TLS", "HTTP/2"} {
		for act, page := range map[string]string{"a form": form, "a script": script} {
			t.Run(act+" over "+protocol, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of its own: its turn may come late
				defer cancel()
				site := newCutter(t, protocol, page)
				page, err := pool.Acquire(ctx, browser.Tenant{Account: t.Name(), Origins: []string{site.URL}})
				if err != nil {
					t.Fatal(err)
				}
				defer page.Release(true)
				// Chromium sends again before it gives up, and only then has the script its answer, or the form's page
				// made room for Chromium's own about the failure.
				head, files := one(strings.Replace(orderSteps(`{visible: "#done"}, {not: "#buy"}`), "within: 1000", "within: 30000", 1))
				s := newShop(t, head, files, nil)
				s.url = site.URL
				_, trace, err := s.load(nil).Play(ctx, page.Rod(), flow.Job{
					Operation: "op", Account: &flow.Account{CloseIdle: page.CloseIdleConnections},
				})
				if n := site.orders.Load(); n != 1 || err != nil {
					t.Errorf("one click made %d orders, %v", n, err)
				}
				if trace.Unclean != nil {
					t.Error(trace.Unclean)
				}
			})
		}
	}
}
