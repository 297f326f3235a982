package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"

	"integration.gateway/contracts"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/testenv"
)

// BenchmarkCreateSession compares a session, from the HTTP call to the signed-in
// browser, with a bare Chromium that is started and shows an empty page: out of
// the reserve of started browsers, and without one. The account's sign-in is
// restored from its kept state and proven at the shop.
func BenchmarkCreateSession(b *testing.B) {
	for name, reserve := range map[string]int{"warm": 1, "cold": 0} {
		b.Run(name, func(b *testing.B) {
			c := startSessions(b, fmt.Sprint("SESSIONS_RESERVE=", reserve))
			c.stop(c.open()) // signs in
			var ours, theirs timings
			for b.Loop() {
				time.Sleep(3 * time.Second) // the reserve fills up
				began := time.Now()
				opened := c.open()
				ours = append(ours, time.Since(began))
				c.stop(opened)
				began = time.Now()
				_, end := startBare(b)
				theirs = append(theirs, time.Since(began))
				end()
			}
			report(b, "x-of-bare-chromium", ours, "session-µs", theirs, "bare-µs")
		})
	}
}

// BenchmarkSessionTraffic compares what a client does in a session, through the
// gateway and the filter, with the same at a bare Chromium's own address. The
// ratio is ours to theirs of what is done in a second.
func BenchmarkSessionTraffic(b *testing.B) {
	c := startSessions(b)
	opened := c.open()
	defer c.stop(opened)
	bare, end := startBare(b)
	defer end()
	pages := c.sandbox + marketplacePage
	session, direct := dial(b, opened.WSURL, pages), dial(b, bare, pages)
	for name, params := range map[string][2]any{
		"Runtime.evaluate":       {"Runtime.evaluate", map[string]any{"expression": "1+1", "returnByValue": true}},
		"Page.captureScreenshot": {"Page.captureScreenshot", map[string]any{"format": "png"}},
	} {
		b.Run(name, func(b *testing.B) {
			var ours, theirs timings
			method, _ := params[0].(string)
			for b.Loop() {
				theirs.takeTurn(func() { direct.call(b, method, params[1]) })
				ours.takeTurn(func() { session.call(b, method, params[1]) })
			}
			report(b, "x-of-direct-time", ours, "session-µs", theirs, "direct-µs")
			b.ReportMetric(theirs.median().Seconds()/ours.median().Seconds(), "x-of-direct-throughput")
		})
	}
}

const marketplacePage = "/search?q=coffee"

// BenchmarkSessionMemory is the memory of a session's browser that shows a page:
// the proportional share of all of its processes.
func BenchmarkSessionMemory(b *testing.B) {
	c := startSessions(b, "SESSIONS_RESERVE=0")
	before := memoryOfBrowsers(b)
	for b.Loop() {
		opened := c.open()
		dial(b, opened.WSURL, c.sandbox+marketplacePage)
		b.ReportMetric(float64(memoryOfBrowsers(b)-before)/(1<<20), "MiB-a-session")
		c.stop(opened)
	}
	b.ReportMetric(0, "ns/op")
}

// sessionClient opens and stops sessions of one account.
type sessionClient struct {
	client
	sandbox string
}

func startSessions(b *testing.B, variables ...string) *sessionClient {
	b.Helper()
	s := startStack(b, variables...)
	return &sessionClient{
		client:  client{B: b, gateway: s.Env.GatewayURL, access: s.Env.AccessToken, account: s.Env.AccountTokens["marketplace"]},
		sandbox: s.Env.SandboxURLs["marketplace"],
	}
}

func (c *sessionClient) open() contracts.Session {
	return decode[contracts.Session](c.B, c.call(http.MethodPost, marketplace.CreateSession.Path, ""))
}

func (c *sessionClient) stop(s contracts.Session) {
	_, rest, _ := strings.Cut(s.WSURL, sessions.Path(""))
	id, _, _ := strings.Cut(rest, "/")
	c.call(http.MethodDelete, sessions.Path(id), "")
}

// startBare starts a Chromium with an empty page and returns its address.
func startBare(b *testing.B) (address string, end func()) {
	b.Helper()
	l := launcher.New().Bin(testenv.Chromium(b)).NoSandbox(true).Leakless(false).Headless(true)
	address, err := l.Launch()
	if err != nil {
		b.Fatal(err)
	}
	browser := rod.New().ControlURL(address).NoDefaultDevice().MustConnect()
	browser.MustPage("about:blank").MustEval("() => 1")
	return address, func() { l.Kill(); l.Cleanup() }
}

// devtools is a client of the protocol on one page.
type devtools struct {
	conn    *websocket.Conn
	session string
	id      int
}

// dial connects to a browser's address and opens a page there.
func dial(b *testing.B, address, url string) *devtools {
	b.Helper()
	conn, _, err := websocket.Dial(b.Context(), address, nil) //nolint:bodyclose // the library's
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(64 << 20)
	d := &devtools{conn: conn}
	var made struct{ TargetID, SessionID string }
	d.result(b, "Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	d.result(b, "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &made)
	d.session = made.SessionID
	d.call(b, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": false})
	d.call(b, "Page.navigate", map[string]any{"url": url})
	d.call(b, "Runtime.evaluate", map[string]any{
		"expression":   "new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))",
		"awaitPromise": true,
	})
	return d
}

func (d *devtools) call(b *testing.B, method string, params any) { d.result(b, method, params, nil) }

func (d *devtools) result(b *testing.B, method string, params, result any) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second)
	defer cancel()
	d.id++
	command := map[string]any{"id": d.id, "method": method, "params": params}
	if d.session != "" {
		command["sessionId"] = d.session
	}
	if err := wsjson.Write(ctx, d.conn, command); err != nil {
		b.Fatal(err)
	}
	for {
		_, text, err := d.conn.Read(ctx)
		if err != nil {
			b.Fatal(err)
		}
		var answer struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			b.Fatal(err)
		}
		switch {
		case answer.ID != d.id:
			continue
		case answer.Error != nil:
			b.Fatalf("%s: %s", method, answer.Error)
		case result != nil:
			if err := json.Unmarshal(answer.Result, result); err != nil {
				b.Fatal(err)
			}
		}
		return
	}
}

// memoryOfBrowsers is the memory of all browsers of this process, in bytes.
func memoryOfBrowsers(b *testing.B) int64 {
	b.Helper()
	var total int64
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	groups := map[string]bool{} // of processes that this one has started
	fields := func(path string) []string {
		text, _ := os.ReadFile(path) // it may have ended
		_, rest, _ := strings.Cut(string(text), ") ")
		return strings.Fields(rest) // state, parent, group …
	}
	for _, path := range all {
		if f := fields(path); len(f) > 2 && f[1] == strconv.Itoa(os.Getpid()) {
			groups[f[2]] = true
		}
	}
	for _, path := range all {
		if f := fields(path); len(f) < 3 || !groups[f[2]] {
			continue
		}
		text, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "smaps_rollup"))
		_, rest, _ := strings.Cut(string(text), "\nPss:")
		var kilobytes int64
		_, _ = fmt.Sscan(rest, &kilobytes)
		total += kilobytes << 10
	}
	return total
}
