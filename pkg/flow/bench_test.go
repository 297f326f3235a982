package flow_test

import (
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/flow"
)

// BenchmarkSearch plays a search on a warm page.
func BenchmarkSearch(b *testing.B) {
	s := searchShop(b)
	site := s.load(shopContracts)
	job := flow.Job{Operation: "search", Request: map[string]any{"query": "x"}}
	for b.Loop() {
		if _, _, err := s.play(site, job); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHandWritten does the same steps in a program written for them.
func BenchmarkHandWritten(b *testing.B) {
	s := searchShop(b)
	page := newPage(b, s.ctx)
	for b.Loop() {
		wait := page.WaitNavigation(proto.PageLifecycleEventNameDOMContentLoaded)
		page.MustNavigate(s.url + "/s?q=x")
		wait()
		rows := page.MustEval(`() => [...document.querySelectorAll('.card')].map(card => ({
			asin: card.querySelector('a').getAttribute('href').match(/\/dp\/([A-Z0-9]{10})/)[1],
			title: card.querySelector('.name').innerText.trim(),
			itemUrl: card.querySelector('a').href,
			price: card.querySelector('.price')?.innerText,
			available: Boolean(card.querySelector('.in-stock')),
		}))`).Arr()
		if len(rows) != 4 {
			b.Fatal(rows)
		}
	}
}
