package e2e_test

import (
	"net/http"
	"slices"

	"integration.gateway/contracts"
	"integration.gateway/contracts/marketplacebusiness"
	"integration.gateway/services/marketplacebusiness/sandbox"
)

const (
	paperTitle = "Copy paper A4, 80 g, 5 reams"
	towels     = "Paper towels, two ply, pack of 2" // sold by five and more
	drumUnit   = "Drum unit, series 700"            // sold out
)

var paper = sandbox.ItemNumber(paperTitle)

// atShop is the address of a page of the shop's, as a request gives it.
func atShop(path string) func(*gateway) any {
	return func(g *gateway) any {
		return marketplacebusiness.CartItem{ItemURL: g.env.SandboxURLs[g.about()] + path}
	}
}

func itemOf(title string) marketplacebusiness.ItemChoice {
	return marketplacebusiness.ItemChoice{ASIN: sandbox.ItemNumber(title)}
}

// cannotBeBought are what both operations on an item refuse.
func cannotBeBought(body func(path string) any) []refusalCase {
	return []refusalCase{
		{name: "unknown item", body: body("/dp/ZZZZZZZZZZ"), status: http.StatusNotFound, says: "do not carry", events: rejectedEvents},
		{name: "an address of no item", body: body("/orders"), status: http.StatusBadRequest, says: "not the address of an item", events: rejectedEvents},
		{name: "sold out", body: body("/dp/" + sandbox.ItemNumber(drumUnit)), status: http.StatusBadRequest, says: "out of stock", events: rejectedEvents},
		{name: "sold in larger quantities", body: body("/dp/" + sandbox.ItemNumber(towels)), status: http.StatusBadRequest, says: "quantities of 5", events: rejectedEvents},
	}
}

func toAddress(id, card string) marketplacebusiness.CheckoutChoice {
	return marketplacebusiness.CheckoutChoice{AddressID: id, CreditCardLastFour: card}
}

// newestFirst are the organisation's orders in a span: those from before, and
// those that the test has placed.
func newestFirst(g *gateway, length sandbox.Span) []sandbox.Order {
	g.Helper()
	all := sandbox.New().OrdersOf(sandbox.Jane.Username, length)
	for _, placed := range stateOf[sandbox.State](g).Orders {
		all = slices.Insert(all, 0, placed)
	}
	return all
}

// expectOrder compares the answer with the newest order of the shop.
func expectOrder(g *gateway, got marketplacebusiness.Order) sandbox.Order {
	g.Helper()
	order := newestFirst(g, sandbox.Month)[0]
	price := &contracts.Money{Amount: "20.15", Currency: "USD"}
	expectEqual(g, marketplacebusiness.Order{
		OrderID: order.ID, Total: *price, Items: []marketplacebusiness.OrderLine{{ASIN: paper, Title: paperTitle, Quantity: 1, Price: price}},
		DeliveryAddress: order.Address, PaymentMethod: order.Payment, PurchaseOrderNumber: "PO-2231", DeliveryEstimate: order.Delivery,
	}, got)
	return order
}

var marketplaceBusinessCases = []operationCase{
	{
		op: marketplacebusiness.CreateSession, check: checkSession,
	},
	{
		op: marketplacebusiness.Search, path: "/v1/marketplace-business/items/search?query=copy+paper&zipCode=62704",
		check: checked(func(g *gateway, found marketplacebusiness.SearchResults) {
			at := slices.IndexFunc(found.Items, func(i marketplacebusiness.Item) bool { return i.ASIN == paper })
			if len(found.Items) != 18 || at < 0 { // two batches of the list
				g.Fatalf("%d items, the paper at %d", len(found.Items), at)
			}
			expectEqual(g, marketplacebusiness.Item{
				ASIN: paper, Title: paperTitle, ItemURL: g.env.SandboxURLs[g.about()] + "/dp/" + paper,
				ImageURL: g.env.SandboxURLs[g.about()] + "/images/" + paper + ".svg",
				Price:    &contracts.Money{Amount: "20.15", Currency: "USD"}, ListPrice: &contracts.Money{Amount: "22.39", Currency: "USD"},
				Seller: "Paper Depot", MinimumQuantity: 1, Available: true,
			}, found.Items[at])
		}),
		refuses: []refusalCase{
			{name: "no query", path: "/v1/marketplace-business/items/search?zipCode=62704", status: http.StatusBadRequest, says: "query"},
			{name: "no zipCode", path: "/v1/marketplace-business/items/search?query=paper", status: http.StatusBadRequest, says: "zipCode"},
			{name: "no postal code", path: "/v1/marketplace-business/items/search?query=paper&zipCode=SW1A", status: http.StatusBadRequest, says: "five digits", events: rejectedEvents},
		},
	},
	{
		op: marketplacebusiness.GetAddresses,
		check: checked(func(g *gateway, list marketplacebusiness.AddressList) {
			expectEqual(g, []marketplacebusiness.DeliveryAddress{
				{
					AddressID: "adr-88213", RecipientName: "Hillcrest Bakery", Phone: "+1 217 555 0190", IsDefault: true,
					Address: contracts.Address{Line1: "40 Mill Road", City: "Springfield", Region: "IL", PostalCode: "62704", Country: "US"},
				},
				{
					AddressID: "adr-88301", RecipientName: "Hillcrest Bakery Downtown", Phone: "+1 312 555 0127",
					Address: contracts.Address{Line1: "215 Station Street", Line2: "Suite 4", City: "Chicago", Region: "IL", PostalCode: "60611", Country: "US"},
				},
				{
					AddressID: "adr-90417", RecipientName: "Hillcrest Bakery North",
					Address: contracts.Address{Line1: "9 Harbor Lane", City: "Anchorage", Region: "AK", PostalCode: "99501", Country: "US"},
				},
			}, list.Addresses)
		}),
	},
	{
		op: marketplacebusiness.AddToCart, body: atShop("/dp/" + paper),
		check: checked(func(g *gateway, added marketplacebusiness.CartAddition) {
			price := &contracts.Money{Amount: "20.15", Currency: "USD"}
			expectEqual(g, marketplacebusiness.CartAddition{ASIN: paper, Title: paperTitle, Quantity: 1, Price: price, CartCount: 1, Subtotal: price}, added)
			if cart := stateOf[sandbox.State](g).Carts[sandbox.Jane.Username]; len(cart) != 1 || cart[0].ASIN != paper || cart[0].Quantity != 1 {
				g.Errorf("the cart holds %+v", cart)
			}
		}),
		refuses: slices.Concat(cannotBeBought(func(path string) any { return atShop(path) }), []refusalCase{
			{name: "no itemUrl", body: marketplacebusiness.CartItem{}, status: http.StatusBadRequest, says: "itemUrl"},
			{name: "itemUrl at another site", body: marketplacebusiness.CartItem{ItemURL: "https://elsewhere.example/dp/" + paper}, status: http.StatusBadRequest, says: "one of the site's"},
		}),
	},
	{
		op: marketplacebusiness.Checkout, body: toAddress("adr-88301", "5100"),
		check: func(g *gateway, r response) {
			order := expectOrder(g, result[marketplacebusiness.Order](g, r))
			if order.Recipient != "Hillcrest Bakery Downtown" || order.Payment != "Mastercard ending in 5100" || order.Reference != r.header.Get(contracts.CommandIDHeader) {
				g.Errorf("the order is %+v", order)
			}
			if cart := stateOf[sandbox.State](g).Carts[sandbox.Jane.Username]; len(cart) != 0 {
				g.Errorf("the cart holds %+v", cart)
			}
		},
		refuses: []refusalCase{
			{name: "no addressId", body: toAddress("", "4242"), status: http.StatusBadRequest, says: "addressId"},
			{name: "malformed card", body: toAddress("adr-88213", "Visa"), status: http.StatusBadRequest, says: "creditCardLastFour"},
			{name: "empty cart", status: http.StatusBadRequest, says: "cart is empty", events: rejectedEvents},
			{name: "another's address", user: &sandbox.Rosa, body: toAddress("adr-88213", "0077"), status: http.StatusBadRequest, says: "addressId", events: rejectedEvents},
			{name: "another's card", user: &sandbox.Rosa, body: toAddress("adr-51007", "4242"), status: http.StatusBadRequest, says: "creditCardLastFour", events: rejectedEvents},
			{name: "an item does not go there", user: &sandbox.Rosa, body: toAddress("adr-51032", "0077"), status: http.StatusBadRequest, says: "cannot be delivered", events: rejectedEvents},
			{name: "an item has sold out", user: &sandbox.Nora, body: toAddress("adr-51007", "3030"), status: http.StatusBadRequest, says: "out of stock", events: rejectedEvents},
			{name: "no default address", user: &sandbox.Sam, body: toAddress("adr-51007", "1881"), status: http.StatusBadRequest, says: "default delivery address", events: rejectedEvents},
			{name: "no default payment method", user: &sandbox.Ines, body: toAddress("adr-51007", "2020"), status: http.StatusBadRequest, says: "default payment method", events: rejectedEvents},
			{name: "payment declined", user: &sandbox.Viktor, body: toAddress("adr-51007", "1117"), status: http.StatusBadRequest, says: "declined", events: notAppliedEvents},
		},
	},
	{
		op: marketplacebusiness.BuyNow, body: itemOf(paperTitle),
		check: checked(func(g *gateway, got marketplacebusiness.Order) {
			if order := expectOrder(g, got); order.Recipient != "Hillcrest Bakery" || order.Payment != "Visa ending in 4242" {
				g.Errorf("the order is %+v", order)
			}
		}),
		refuses: slices.Concat(cannotBeBought(func(path string) any {
			return func(g *gateway) any {
				return marketplacebusiness.ItemChoice{ItemURL: g.env.SandboxURLs[g.about()] + path}
			}
		}), []refusalCase{
			{name: "neither asin nor itemUrl", body: marketplacebusiness.ItemChoice{}, status: http.StatusBadRequest, says: "asin or itemUrl"},
			{name: "malformed asin", body: marketplacebusiness.ItemChoice{ASIN: "../cart"}, status: http.StatusBadRequest, says: "asin"},
			{name: "itemUrl at another site", body: marketplacebusiness.ItemChoice{ItemURL: "https://elsewhere.example/dp/" + paper}, status: http.StatusBadRequest, says: "one of the site's"},
			{name: "no default address", user: &sandbox.Sam, status: http.StatusBadRequest, says: "default delivery address", events: rejectedEvents},
			{name: "no default payment method", user: &sandbox.Ines, status: http.StatusBadRequest, says: "default payment method", events: rejectedEvents},
			{name: "payment declined", user: &sandbox.Viktor, status: http.StatusBadRequest, says: "declined", events: notAppliedEvents},
		}),
	},
	{
		op: marketplacebusiness.GetOrders, path: "/v1/marketplace-business/orders?startIndex=1&limit=14", // of the last 30 days
		check: checked(func(g *gateway, list marketplacebusiness.OrderList) {
			want := newestFirst(g, sandbox.Month)
			if list.Total == nil || *list.Total != len(want) || len(list.Orders) != 14 {
				g.Fatalf("%d of %v orders, want 14 of %d", len(list.Orders), list.Total, len(want))
			}
			for i, order := range list.Orders {
				if order.OrderID != want[i+1].ID {
					g.Errorf("order %d is %s, want %s", i, order.OrderID, want[i+1].ID)
				}
			}
		}),
		refuses: []refusalCase{
			{name: "unknown timespan", path: "/v1/marketplace-business/orders?timespan=yesterday", status: http.StatusBadRequest, says: "timespan"},
			{name: "no limit at all", path: "/v1/marketplace-business/orders?limit=0", status: http.StatusBadRequest, says: "limit"},
		},
	},
	{
		op: marketplacebusiness.BuyAgain,
		check: checked(func(g *gateway, list marketplacebusiness.BuyAgainList) {
			var want, got []string
			for _, order := range newestFirst(g, sandbox.Unlimited) {
				for _, line := range order.Lines {
					if !slices.Contains(want, line.ASIN) {
						want = append(want, line.ASIN)
					}
				}
			}
			for _, item := range list.Items {
				got = append(got, item.ASIN)
			}
			expectEqual(g, want, got)
		}),
	},
}
