package chaos_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/services/marketplace/sandbox"
)

// effect is one change that the shop really made.
type effect struct {
	at   time.Time
	what thing
	id   string // of an order
	by   string // the command that it belongs to, or byHand; see origins
}

func (e effect) String() string {
	return fmt.Sprintf("%s %s of item %s for %s by %s %s", e.at.Format(clock), e.what.kind, e.what.asin, e.what.user, e.by, e.id)
}

// thing is what a caller wants to happen at the shop, once.
type thing struct {
	user string
	kind contracts.Effect
	asin string
}

// shop is the sandbox shop with a driver in front of it, which notes each
// effect and brings the site's own faults about.
type shop struct {
	*sandbox.Shop
	world *world

	mu      sync.Mutex // one order at a time, so that each change is known to be its own
	effects []effect
}

// ServeHTTP implements http.Handler.
func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// What has arrived is carried out, whether the browser still waits or not.
	r = r.WithContext(context.WithoutCancel(r.Context()))
	asin, before, after := s.about(r)
	by, over := s.arrives(r, asin)
	defer over()
	if by.command == byHand {
		before, after = "", ""
	}
	trial := func(t *trial) bool { return t.what.asin == asin && (by.account == "" || by.account == t.account.id) }
	if before != "" && s.suffer(w, r, s.world.reach(before, trial, nil)) {
		return
	}
	answer := s.handle(r, by.command)
	if after != "" && s.suffer(w, r, s.world.reach(after, trial, nil)) {
		return
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// about says which item a request is about, and the edges that it makes.
func (s *shop) about(r *http.Request) (asin string, before, after edge) {
	if asin, ok := strings.CutPrefix(r.URL.Path, "/dp/"); ok {
		return asin, opened, ""
	}
	if r.Method != http.MethodPost || r.URL.Path != "/buy-now" && r.URL.Path != "/cart" {
		return "", "", ""
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	form, _ := url.ParseQuery(string(body))
	return form.Get("asin"), clicked, handled
}

// handle has the shop carry a request out, and notes what changed.
func (s *shop) handle(r *http.Request, by string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	if r.Method != http.MethodPost {
		s.Shop.ServeHTTP(answer, r)
		return answer
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.State()
	s.Shop.ServeHTTP(answer, r)
	after := s.State()
	for _, order := range after.Orders[len(before.Orders):] {
		s.effects = append(s.effects, effect{time.Now(), thing{order.User, contracts.Order, order.Lines[0].ASIN}, order.ID, by})
	}
	for owner, lines := range after.Carts {
		for _, line := range lines {
			for range line.Quantity - quantity(before.Carts[owner], line.ASIN) {
				s.effects = append(s.effects, effect{time.Now(), thing{owner, contracts.Cart, line.ASIN}, "", by})
			}
		}
	}
	return answer
}

func quantity(cart []sandbox.CartLine, asin string) int {
	i := slices.IndexFunc(cart, func(line sandbox.CartLine) bool { return line.ASIN == asin })
	if i < 0 {
		return 0
	}
	return cart[i].Quantity
}

// suffer brings the site's own faults about, and says whether the request is
// over with them.
func (s *shop) suffer(w http.ResponseWriter, r *http.Request, faults []*fault) (over bool) {
	for _, f := range faults {
		switch f.act {
		case siteLate, siteTooLate, siteSilent:
			time.Sleep(f.during)
		case siteRefuses:
			http.Error(w, "We are doing some maintenance.", http.StatusServiceUnavailable)
			return true
		case siteFails:
			http.Error(w, "Something went wrong on our side.", http.StatusBadGateway)
			return true
		case siteBreaks:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Length", "100000")
			_, _ = fmt.Fprint(w, "<!DOCTYPE html><html>", strings.Repeat(" ", 2000))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case siteHangsUp, siteVanishes:
			panic(http.ErrAbortHandler)
		case signedOut:
			r.Header.Del("Cookie")
		}
	}
	return false
}

var (
	department = regexp.MustCompile(`href="(/departments/[^"]+)"`)
	item       = regexp.MustCompile(`data-asin="([A-Z0-9]+)"`)
)

// items returns the items that the shop has in stock.
func (s *shop) items() []string {
	read := func(path string) string {
		answer := httptest.NewRecorder()
		s.Shop.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		return answer.Body.String()
	}
	var all []string
	for _, shelf := range department.FindAllStringSubmatch(read("/"), -1) {
		for _, found := range item.FindAllStringSubmatch(read(shelf[1]), -1) {
			if !slices.Contains(all, found[1]) && !strings.Contains(read("/dp/"+found[1]), `id="unavailable"`) {
				all = append(all, found[1])
			}
		}
	}
	return all
}
