package sandbox_test

import (
	"html"
	"net/url"
	"regexp"
	"testing"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/marketplace/sandbox"
)

// dripper is an available product of the catalogue, and milk one of the
// grocery store. Bananas by the larger bunch are sold out.
const (
	dripper = "B0CX23V2ZK"
	milk    = "Whole milk, gallon"
	soldOut = "Organic bananas, bunch of 8"
)

// visitor is a person with a browser at a shop.
type visitor struct {
	*sandbox.Shop
	*sandboxtest.Visitor
}

// visit opens a shop of its own and goes there.
func visit(t *testing.T) *visitor {
	t.Helper()
	return enter(t, sandbox.New())
}

// enter goes to a shop with a fresh browser.
func enter(t *testing.T, shop *sandbox.Shop) *visitor {
	t.Helper()
	return &visitor{Shop: shop, Visitor: sandboxtest.Visit(t, shop)}
}

func (v *visitor) signIn(user kit.User) {
	v.T.Helper()
	v.Open("/sign-in")
	v.Submit("/sign-in", url.Values{"email": {user.Username}, "password": {user.Password}})
	if v.Path != "/account" {
		v.T.Fatalf("after the sign-in at %s, want /account", v.Path)
	}
}

var (
	productCard  = regexp.MustCompile(`(?s)<li class="product-card" data-asin="([A-Z0-9]{10})">(.*?)</li>`)
	productTitle = regexp.MustCompile(`<span class="product-title">([^<]*)</span>`)
)

// shelf returns the products of the page: their titles, and item numbers by
// title.
func (v *visitor) shelf() (titles []string, asins map[string]string) {
	asins = map[string]string{}
	for _, card := range productCard.FindAllStringSubmatch(v.Page, -1) {
		title := html.UnescapeString(productTitle.FindStringSubmatch(card[2])[1])
		titles = append(titles, title)
		asins[title] = card[1]
	}
	return titles, asins
}

// asin looks a product up by its title.
func (v *visitor) asin(title string) string {
	v.T.Helper()
	v.Open("/search?q=" + url.QueryEscape(title))
	_, asins := v.shelf()
	if asins[title] == "" {
		v.T.Fatalf("no product %q", title)
	}
	return asins[title]
}
