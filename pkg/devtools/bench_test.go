package devtools_test

import (
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-rod/rod/lib/launcher"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/testenv"
)

// BenchmarkServe compares a client of Serve with one of Chromium's own
// WebSocket: round trips a second, and screenshots. They take turns in one run.
// The ratio is ours to Chromium's own: 1 is as fast, more is faster.
func BenchmarkServe(b *testing.B) {
	s := setup(b)
	served := s.dial(event.Control)
	direct := dialChromium(b, served)
	for name, bench := range map[string]struct {
		method string
		params object
		times  int
	}{
		"roundtrip":  {"Runtime.evaluate", object{"expression": "1"}, 100},
		"screenshot": {"Page.captureScreenshot", object{"format": "jpeg", "quality": 80}, 5},
	} {
		b.Run(name, func(b *testing.B) {
			clients := []*wire{direct, served}
			var took [2]time.Duration
			var pages [2]string
			for n, w := range clients {
				pages[n] = w.firstPage()
				w.open(pages[n], s.site.URL+"/")
				w.call(pages[n], "Page.bringToFront", nil)
			}
			for b.Loop() {
				for n, w := range clients {
					began := time.Now()
					for range bench.times {
						w.call(pages[n], bench.method, bench.params)
					}
					took[n] += time.Since(began)
				}
			}
			rate := func(n int) float64 { return float64(b.N*bench.times) / took[n].Seconds() }
			b.ReportMetric(rate(1)/rate(0), "ratio")
			b.ReportMetric(rate(0), "direct/s")
			b.ReportMetric(rate(1), "served/s")
		})
	}
}

// dialChromium starts a Chromium with a port, and a page like ours.
func dialChromium(b *testing.B, like *wire) *wire {
	b.Helper()
	l := launcher.New().Bin(testenv.Chromium(b)).NoSandbox(true).Leakless(false).Headless(true).Set("window-size", "1280,900")
	address, err := l.Launch()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Kill(); l.Cleanup() })
	ws, _, err := websocket.Dial(like.ctx, address, nil) //nolint:bodyclose // the library says that it need not be
	if err != nil {
		b.Fatal(err)
	}
	ws.SetReadLimit(-1)
	b.Cleanup(func() { _ = ws.CloseNow() })
	w := &wire{t: b, ctx: like.ctx, ws: ws, told: map[int]message{}}
	w.call("", "Target.createTarget", object{"url": "about:blank"})
	return w
}
