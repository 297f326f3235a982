package chaos_test

import (
	"slices"
	"strings"

	"integration.gateway/contracts/marketplacebusiness"
	"integration.gateway/services/marketplacebusiness/sandbox"
)

// newMarketplaceBusiness opens the business edition of the shop. One of the
// accounts orders its cart, into which each trial puts an item first. The
// addresses that it takes turns with tell such orders from each other.
func newMarketplaceBusiness() *application {
	site := sandbox.New()
	a := &application{name: "marketplace-business", site: site}
	items := site.Offered()
	item := func(n int) string { return items[n%len(items)] }
	chosen := func(n int) wish { return wish{mark: item(n), body: map[string]string{"asin": item(n)}} }

	at := func(n int) wish {
		return wish{mark: item(n), body: map[string]string{"itemUrl": a.url + "/dp/" + item(n)}}
	}

	add := &operation{
		Info: marketplacebusiness.AddToCart.Info(), wish: at, opens: "GET /dp/{asin}", sends: "POST /api/cart",
	}
	order := &operation{
		Info: marketplacebusiness.BuyNow.Info(), wish: chosen, opens: "GET /dp/{asin}", sends: "POST /api/buy-now",
	}
	checkout := &operation{
		Info: marketplacebusiness.Checkout.Info(), opens: "GET /checkout", sends: "POST /api/checkout", first: add,
	}
	addresses := [][2]string{
		{"adr-88213", "40 Mill Road"}, {"adr-88301", "215 Station Street"}, {"adr-90417", "9 Harbor Lane"},
	}
	checkout.wish = func(n int) wish {
		id := addresses[n/len(a.lanes)%len(addresses)][0]
		return wish{mark: id, body: map[string]string{"addressId": id, "creditCardLastFour": "4242"}}
	}
	a.read = &operation{Info: marketplacebusiness.GetAddresses.Info(), wish: nothing}

	both := []*operation{order, order, order, add, add, a.read}
	a.lanes = []lane{
		{sandbox.Jane, []*operation{checkout}},
		{sandbox.Amir, both},
		{sandbox.Ines, []*operation{add}},
		{sandbox.Amir, both},
	}
	a.changes = func() (all []change) {
		state := site.State()
		for _, o := range state.Orders {
			c := change{order.Name, o.User, o.Lines[0].ASIN, o.ID}
			if o.Reference != "" {
				c.operation, c.about = checkout.Name, ""
				for _, address := range addresses {
					if strings.Contains(o.Address, address[1]) {
						c.about = address[0]
					}
				}
			}
			all = append(all, c)
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
