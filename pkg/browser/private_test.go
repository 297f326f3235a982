package browser_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/testenv"
)

// intranet is a server that no page may reach.
type intranet struct {
	*httptest.Server
	port        string
	connections atomic.Int64
}

func newIntranet(t *testing.T) *intranet {
	t.Helper()
	in := &intranet{}
	in.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write([]byte("the secret"))
	}))
	in.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			in.connections.Add(1)
		}
	}
	in.Start()
	t.Cleanup(in.Close)
	_, in.port, _ = net.SplitHostPort(in.Listener.Addr().String())
	return in
}

// names is a resolver by which all names lead to this machine.
func names(t *testing.T) *net.Resolver {
	t.Helper()
	server, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		for question := make([]byte, 512); ; {
			n, from, err := server.ReadFrom(question)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if err := m.Unpack(question[:n]); err != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.Additionals = true, nil
			if q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
				}}
			}
			if answer, err := m.Pack(); err == nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
	t.Cleanup(func() { _ = server.Close(); <-served })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func TestPagesReachNoPrivateAddressButTheSitesOwn(t *testing.T) {
	t.Parallel()
	in := newIntranet(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	own := strings.Replace(site.URL, "127.0.0.1", "shop.corp", 1) // a name that leads to a private address

	b := setup(t, browser.Config{Resolver: names(t), Reserve: 1})
	b.origins = []string{own}
	page := b.acquire("anna")
	defer page.Release(true)

	for _, host := range []string{"127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0", "evil.example", "shop.corp", "x.shop.corp"} {
		secret := "http://" + host + ":" + in.port
		p := visit(t, page, own)
		for what, attempt := range map[string]string{
			"a fetch":            `fetch('%s/', {mode: 'no-cors'})`,
			"a redirected fetch": `fetch('/away?to=%s/', {mode: 'no-cors'})`,
			"a picture":          `new Promise((ok, no) => { const i = new Image; i.onload = ok; i.onerror = e => e.type == 'error' && no(e); i.src = '%s/' })`,
			"a WebSocket":        `new Promise((ok, no) => { const s = new WebSocket('%s/'); s.onopen = ok; s.onerror = no })`,
			"an event stream":    `new Promise((ok, no) => { const s = new EventSource('%s/'); s.onopen = ok; s.onerror = e => { s.close(); no(e) } })`,
		} {
			if got := result(t, p, "("+fmt.Sprintf(attempt, secret)+").then(() => 'reached', () => 'refused')"); got != "refused" {
				t.Errorf("%s to %s was %s", what, host, got)
			}
		}
		for what, address := range map[string]string{"a navigation": secret, "a redirect": own + "/away?to=" + secret} {
			if err := page.Rod().Timeout(patience).Navigate(address); err == nil {
				t.Errorf("%s to %s succeeded", what, host)
			}
		}
		if n := in.connections.Load(); n != 0 {
			t.Fatalf("as %s the intranet saw %d connections", host, n)
		}
	}
	visit(t, page, own)
	visit(t, page, b.site.URL)
}

// WebRTC would speak UDP past the relay.
func TestPagesSendNoDatagrams(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"headless shell": testenv.Chromium(t), "whole Chromium": wholeChromium(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectNoDatagrams(t, setup(t, browser.Config{Path: path}))
		})
	}
}

func expectNoDatagrams(t *testing.T, b *bench) {
	t.Helper()
	ear, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ear.Close() }()
	page := b.acquire("anna")
	defer page.Release(true)
	p := b.visit(page, "/blank.html")
	got := result(t, p, `new Promise(done => {
		const call = new RTCPeerConnection({iceServers: [{urls: 'stun:`+ear.LocalAddr().String()+`'}]})
		const found = []
		call.onicecandidate = e => e.candidate ? found.push(e.candidate.candidate) : done(found.length)
		call.createDataChannel('x')
		call.createOffer().then(offer => call.setLocalDescription(offer))
	})`)
	if got != "0" {
		t.Errorf("the page found %s ways out", got)
	}
	if err := ear.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, _, err := ear.ReadFrom(make([]byte, 512)); err == nil {
		t.Errorf("a datagram of %d bytes came", n)
	}
}
