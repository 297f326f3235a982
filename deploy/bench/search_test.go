package bench_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/deploy/stack"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
	marketplacesandbox "integration.gateway/services/marketplace/sandbox"
)

// BenchmarkSearch compares a search through the gateway, over HTTP, NATS, the
// service, its flow and two appends, with a program that was written by hand
// for the same search at the same site. Both pages are signed in, warm, and in
// a Chromium that was started alike.
func BenchmarkSearch(b *testing.B) {
	s := startStack(b)
	c := client{B: b, gateway: s.Env.GatewayURL, access: s.Env.AccessToken, account: s.Env.AccountTokens["marketplace"]}
	byHand := openShop(b, s.Env.SandboxURLs["marketplace"])

	const words = "coffee"
	path := marketplace.Search.Path + "?query=" + url.QueryEscape(words)
	c.call(http.MethodGet, marketplace.BuyAgain.Path, "") // signs in
	gateways := decode[marketplace.SearchResults](b, c.call(http.MethodGet, path, ""))
	if diff := cmp.Diff(gateways.Items, byHand.search(words)); diff != "" || len(gateways.Items) == 0 {
		b.Fatalf("the two do not find the same (-gateway +by hand):\n%s", diff)
	}

	var ours, theirs timings
	for b.Loop() {
		theirs.takeTurn(func() { byHand.search(words) })
		ours.takeTurn(func() { c.call(http.MethodGet, path, "") })
	}
	report(b, "x-of-hand-written-rod", ours, "gateway-µs", theirs, "by-hand-µs")
}

// startStack runs a stack, with variables of the form NAME=value added to its
// settings.
func startStack(b *testing.B, variables ...string) *stack.Stack {
	b.Helper()
	all := map[string]string{
		"RUN_DIR": b.TempDir(), "GATEWAY_ADDR": "127.0.0.1:0", "CHROMIUM": testenv.Chromium(b),
		"STACK_DATABASE_URL": testenv.DatabaseURL(b), "STACK_NATS_URL": testenv.NATSURL(b), "SESSIONS_RESERVE": "0",
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		all[name] = value
	}
	cfg, err := settings.FromMap[stack.Config](all)
	if err != nil {
		b.Fatal(err)
	}
	s, err := stack.Start(b.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Stop(); err != nil {
			b.Errorf("stop: %v", err)
		}
	})
	return s
}

// shop is a program written by hand for the sandbox shop: go-rod on a page
// that it holds all the time.
type shop struct {
	*testing.B
	page    *rod.Page
	address string
}

// openShop opens a page and signs in.
func openShop(b *testing.B, address string) *shop {
	b.Helper()
	pool, err := browser.Open(b.Context(), browser.Config{Path: testenv.Chromium(b), RecycleAfter: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	held, err := pool.Acquire(b.Context(), browser.Tenant{Account: "by hand", Origins: []string{address}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		held.Release(true)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := pool.Close(ctx); err != nil {
			b.Errorf("close the browser: %v", err)
		}
	})
	s := &shop{B: b, page: held.Rod(), address: address}
	s.page.MustSetViewport(1280, 900, 0, false)
	s.signIn()
	return s
}

func (s *shop) signIn() {
	s.open("/sign-in")
	if buttons := s.page.MustElements("#cookie-necessary"); len(buttons) > 0 {
		buttons.First().MustClick()
	}
	s.page.MustElement("#email").MustInput(marketplacesandbox.Jane.Username)
	arrived := s.page.WaitNavigation(proto.PageLifecycleEventNameDOMContentLoaded)
	s.page.MustElement("#password").MustInput(marketplacesandbox.Jane.Password).MustType(input.Enter)
	arrived()
	s.page.MustElement("#account-menu")
}

// open shows a page of the shop.
func (s *shop) open(path string) {
	arrived := s.page.WaitNavigation(proto.PageLifecycleEventNameDOMContentLoaded)
	s.page.MustNavigate(s.address + path)
	arrived()
}

// readResults reads what the flow of the search reads, in one evaluate.
const readResults = `() => [...document.querySelectorAll('.search-results .product-card')].map(card => {
	const price = card.querySelector('.product-price')?.innerText.trim();
	return {
		asin: card.dataset.asin,
		title: card.querySelector('.product-title').innerText.trim(),
		itemUrl: card.querySelector('.product-link').href,
		imageUrl: card.querySelector('.product-image')?.src,
		price: price && {amount: price.replace(/[^0-9.]/g, ''), currency: 'USD'},
		available: card.querySelector('.in-stock') !== null,
	};
})`

// search does the steps of the site's flow: navigate, wait for the results to
// be seen, read them.
func (s *shop) search(words string) []marketplace.Item {
	s.open("/search?" + url.Values{"q": {words}, "store": {"all"}}.Encode())
	s.page.MustElement("#search-results").MustWaitVisible()
	var items []marketplace.Item
	if err := s.page.MustEval(readResults).Unmarshal(&items); err != nil {
		s.Fatal(err)
	}
	return items
}
