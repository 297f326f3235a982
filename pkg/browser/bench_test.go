package browser_test

import (
	"testing"
	"time"

	"github.com/go-rod/rod"

	"integration.gateway/pkg/browser"
)

// BenchmarkWarmPage compares a lease of a warm page (acquire, navigate, read,
// release) with the same navigation and read by plain go-rod on a page that
// is as warm. Ten of each take turns in one run, so that the cleaning of a
// released page falls on the leases. The ratio is ours to theirs.
func BenchmarkWarmPage(b *testing.B) {
	s := setup(b, browser.Config{MaxPages: 2, RecycleAfter: 1 << 30})
	held := s.acquire("plain")
	defer held.Release(true)
	plain := held.Rod().Context(s.ctx)
	read := func(page *rod.Page) {
		if err := page.Navigate(s.site.URL + "/blank.html"); err != nil {
			b.Fatal(err)
		}
		if _, err := page.Eval("() => document.title"); err != nil {
			b.Fatal(err)
		}
	}
	lease := func() {
		page := s.acquire("leased")
		read(page.Rod())
		page.Release(true)
	}
	read(plain)
	lease()
	var ours, theirs time.Duration
	for b.Loop() {
		theirs += tenTimes(func() { read(plain) })
		ours += tenTimes(lease)
		time.Sleep(100 * time.Millisecond) // the last page is cleaned
	}
	b.ReportMetric(float64(ours)/float64(theirs), "ratio")
	b.ReportMetric(float64(theirs.Microseconds())/float64(10*b.N), "plain-µs")
	b.ReportMetric(float64(ours.Microseconds())/float64(10*b.N), "leased-µs")
}

func tenTimes(work func()) time.Duration {
	began := time.Now()
	for range 10 {
		work()
	}
	return time.Since(began)
}

// BenchmarkFirstPage is the time from an account's first Acquire to a page
// that shows a document, out of the reserve and without it.
func BenchmarkFirstPage(b *testing.B) {
	for name, reserve := range map[string]int{"reserve": 2, "none": -1} {
		b.Run(name, func(b *testing.B) {
			s := setup(b, browser.Config{Reserve: reserve, RecycleAfter: 1 << 30})
			for b.Loop() {
				page := s.acquire("anna")
				if err := page.Rod().Navigate(s.site.URL + "/blank.html"); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				page.Release(true)
				s.pool.Forget("anna")
				time.Sleep(100 * time.Millisecond) // the reserve fills up
				b.StartTimer()
			}
		})
	}
}
