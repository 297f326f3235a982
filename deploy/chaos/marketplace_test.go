package chaos_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/services/marketplace/sandbox"
)

const (
	users  = 5 // of the shop
	buyers = 2 // of them can order at once: they come first, and are linked a second time behind all others
	// itemsOfALane is how many items the trials of an account take turns with: the
	// shop's carts have room for fifty. What happens to an item long after its
	// trial would be taken for another's, were there fewer.
	itemsOfALane = 25
)

// newMarketplace opens the shop.
func newMarketplace() *application {
	shop := sandbox.New()
	items := itemsOf(shop)
	wanted := func(n int) wish {
		asin := items[n%(itemsOfALane*(users+buyers))%len(items)]
		return wish{mark: asin, body: map[string]string{"asin": asin}}
	}
	order := &operation{Info: marketplace.BuyNow.Info(), wish: wanted, opens: "GET /dp/{asin}", sends: "POST /buy-now", form: "/buy-now"}
	add := &operation{Info: marketplace.AddToCart.Info(), wish: wanted, opens: "GET /dp/{asin}", sends: "POST /cart", form: "/cart"}
	search := &operation{Info: marketplace.Search.Info()}
	search.wish = func(int) wish { return wish{path: search.Path + "?query=coffee"} }

	a := &application{name: "marketplace", site: shop, read: search}
	for i := range users + buyers {
		l := lane{user: sandbox.Users[i%users]}
		switch {
		case i < buyers:
			l.operations = slices.Concat(often(13, order), often(6, add), often(1, search))
		case i < users: // the shop takes no orders from them
			l.operations = slices.Concat(often(2, order), often(14, add), often(4, search))
		default:
			l.operations = []*operation{order}
		}
		a.lanes = append(a.lanes, l)
	}
	a.changes = func() (all []change) {
		state := shop.State()
		for _, o := range state.Orders {
			all = append(all, change{order.Name, o.User, o.Lines[0].ASIN, o.ID})
		}
		for user, lines := range state.Carts {
			for _, line := range lines {
				all = append(all, slices.Repeat([]change{{add.Name, user, line.ASIN, ""}}, line.Quantity)...)
			}
		}
		return all
	}
	return a
}

var (
	department = regexp.MustCompile(`href="(/departments/[^"]+)"`)
	item       = regexp.MustCompile(`data-asin="([A-Z0-9]+)"`)
)

// itemsOf returns the items that the shop has in stock.
func itemsOf(shop http.Handler) []string {
	read := func(path string) string {
		answer := httptest.NewRecorder()
		shop.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, http.NoBody))
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
