// Package sites_test plays the flows of the marketplace-business sandbox site
// on a real browser at the real stand-in.
package sites_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	business "integration.gateway/contracts/marketplacebusiness"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/marketplacebusiness/sandbox"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// buyer is Jane at a shop of her own, and the browser that the flows are played
// in.
type buyer struct {
	*flowtest.Player

	shop  *sandbox.Site
	hasty *flow.Site // as the player's, for what waits in vain
}

// TestFlows shares one browser. Each group of its tests has a context and a shop
// of its own, in which they come one after the other, each where the last one
// has left the user.
func TestFlows(t *testing.T) {
	t.Parallel()
	pool := flowtest.OpenPool(t)
	patient := flowtest.LoadSite(t, os.DirFS("sandbox"), flowtest.Patient, business.Operations...)
	impatient := flowtest.LoadSite(t, os.DirFS("sandbox"), flowtest.Impatient, business.Operations...)
	t.Run("lists and orders", func(t *testing.T) {
		t.Parallel()
		b := visit(t, pool, patient, impatient)
		t.Run("search scrolls to the end of the first page", b.searchScrolls)
		t.Run("search shows what can be had at the place", b.searchByPlace)
		t.Run("orders are listed to the end, with all that is shown", b.listsAllOrders)
		t.Run("a list that breaks off is no list", b.brokenList)
		t.Run("signed out while scrolling, it begins again", b.signedOutWhileScrolling)
		t.Run("an order above the limit awaits approval", b.awaitsApproval)
		t.Run("asin wins over itemUrl", b.asinWins)
	})
	t.Run("checkouts in doubt", func(t *testing.T) {
		t.Parallel()
		b := visit(t, pool, patient, impatient)
		t.Run("a lost request is not found", b.lostCheckoutRequest)
		t.Run("a lost answer is found by its mark", b.lostCheckoutAnswer)
	})
	t.Run("orders and carts in doubt", func(t *testing.T) {
		t.Parallel()
		b := visit(t, pool, patient, impatient)
		t.Run("a lost buy-now request is told from older orders", b.lostOrderRequest)
		t.Run("a lost buy-now answer is told from older orders", b.lostOrderAnswer)
		t.Run("another order of the item tells nothing", b.otherOrder)
		t.Run("a lost cart request is not found", b.lostCartRequest)
		t.Run("a cart that was ordered tells nothing", b.orderedCart)
		t.Run("a lost cart answer is found among the same items", b.lostCartAnswer)
	})
	t.Run("thanks for another order are not believed", func(t *testing.T) {
		t.Parallel()
		shop := &thankful{Site: sandbox.New()}
		player := flowtest.Visit(t, pool, impatient, shop, sandbox.Jane.Username, sandbox.Jane.Password)
		buyer{player, shop.Site, player.Site}.thankedForAnother(t, shop)
	})
}

func visit(t *testing.T, pool *browser.Pool, patient, impatient *flow.Site) buyer {
	t.Helper()
	shop := sandbox.New()
	player := flowtest.Visit(t, pool, patient, shop, sandbox.Jane.Username, sandbox.Jane.Password)
	hasty, err := impatient.WithBaseURL(player.Site.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return buyer{player, shop, hasty}
}

const paperTitle = "Copy paper A4, 80 g, 5 reams"

var (
	paper = sandbox.ItemNumber(paperTitle)
	cost  = &contracts.Money{Amount: "20.15", Currency: "USD"}
)

func (b buyer) url(asin string) map[string]any {
	return map[string]any{"itemUrl": b.Site.BaseURL + "/dp/" + asin}
}

// decoded reads what an operation has given.
func decoded[T any](t *testing.T, raw []byte) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return value
}

// first returns the results' item numbers, and the first item.
func first(t *testing.T, raw []byte) (int, business.Item) {
	t.Helper()
	items := decoded[business.SearchResults](t, raw).Items
	if len(items) == 0 {
		return 0, business.Item{}
	}
	return len(items), items[0]
}

// The shop has 133 items of paper, 48 on a page, and shows 16 at a time.
func (b buyer) searchScrolls(t *testing.T) {
	raw := b.Gives(t, "search", map[string]any{"query": "paper", "zipCode": "62704"})
	seen := map[string]bool{}
	for _, item := range decoded[business.SearchResults](t, raw).Items {
		seen[item.ASIN] = true
	}
	if n, item := first(t, raw); n != 48 || len(seen) != 48 || item.Title != "Paper towels, two ply, pack of 2" || item.MinimumQuantity != 5 {
		t.Errorf("%d items, %d different, the first %+v", n, len(seen), item)
	}
	if n, _ := first(t, b.Gives(t, "search", map[string]any{"query": `"><script>&zip=99501#é`, "zipCode": "62704"})); n != 0 {
		t.Errorf("%d items, want none", n)
	}
}

func (b buyer) searchByPlace(t *testing.T) {
	for zip, price := range map[string]*contracts.Money{"62704": {Amount: "19.47", Currency: "USD"}, "99501": nil} {
		_, item := first(t, b.Gives(t, "search", map[string]any{"query": "oven cleaner pack of 10", "zipCode": zip}))
		if item.Title != "Oven cleaner spray, pack of 10" || item.Available == (price == nil) || item.ListPrice == nil || cmp.Diff(price, item.Price) != "" {
			t.Errorf("%s: %+v, price %v, want %v", zip, item, item.Price, price)
		}
	}
}

var statuses = map[string]business.OrderStatus{
	sandbox.Waiting: business.PendingApproval, sandbox.Preparing: business.Processing, sandbox.Shipped: business.Shipped,
	sandbox.Delivered: business.Delivered, sandbox.Cancelled: business.Cancelled, sandbox.Returned: business.Returned,
	sandbox.PartlyShipped: business.UnknownStatus,
}

func money(m sandbox.Money) contracts.Money {
	return contracts.Money{Amount: fmt.Sprintf("%d.%02d", m/100, m%100), Currency: "USD"}
}

func (b buyer) listsAllOrders(t *testing.T) {
	for span, shown := range map[business.Timespan]sandbox.Span{
		business.Last30Days: sandbox.Month, business.Past3Months: sandbox.Quarter, business.Past6Months: sandbox.HalfYear,
		business.Past12Months: sandbox.Year, business.AllTime: sandbox.Unlimited,
	} {
		want := business.OrderList{}
		for _, o := range b.shop.OrdersOf(sandbox.Jane.Username, shown) {
			past := business.PastOrder{
				OrderID: o.ID, OrderDate: o.PlacedAt.Format("2006-01-02"), Status: statuses[o.Status], Total: money(o.Total),
				BuyerName: o.Buyer, RecipientName: o.Recipient, PurchaseOrderNumber: o.PurchaseOrder, DeliveryDate: o.Delivery, TrackingNumber: o.Tracking,
			}
			if o.Invoiced {
				past.InvoiceURL = b.Site.BaseURL + "/invoices/" + o.ID
			}
			for _, l := range o.Lines {
				each := money(l.Price)
				past.Items = append(past.Items, business.OrderLine{ASIN: l.ASIN, Title: l.Title, Quantity: l.Quantity, Price: &each})
			}
			want.Orders = append(want.Orders, past)
		}
		n := len(want.Orders)
		want.Total = &n
		got := decoded[business.OrderList](t, b.Gives(t, "get-orders", map[string]any{"timespan": string(span)}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", span, diff)
		}
	}
}

func (b buyer) brokenList(t *testing.T) {
	b.shop.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Path: "/api/orders", Skip: 2}, Status: 503}}})
	b.Refuses(t, "get-orders", map[string]any{"timespan": "all"}, flow.Unavailable,
		"Something went wrong. The shop did not answer. Look at your orders and your cart before you try again.")
	b.shop.SetFaults(kit.Faults{})
}

func (b buyer) signedOutWhileScrolling(t *testing.T) {
	b.Gives(t, "get-addresses", nil)
	before, want := b.SignIns, len(b.shop.OrdersOf(sandbox.Jane.Username, sandbox.Unlimited))
	b.shop.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/api/orders", Skip: 2, Times: 1}}})
	got := decoded[business.OrderList](t, b.Gives(t, "get-orders", map[string]any{"timespan": "all"}))
	if n := b.SignIns - before; len(got.Orders) != want || n != 1 {
		t.Errorf("%d orders, signed in %d times; want %d, once more", len(got.Orders), n, want)
	}
}

var toChicago = map[string]any{"addressId": "adr-88301", "creditCardLastFour": "5100"}

func (b buyer) awaitsApproval(t *testing.T) {
	for range 2 {
		b.Gives(t, "add-to-cart", b.url(sandbox.ItemNumber("Desk, height adjustable, 60 cm")))
	}
	order := decoded[business.Order](t, b.Gives(t, "checkout", toChicago))
	if !order.AwaitingApproval || len(order.Items) != 1 || order.Items[0].Quantity != 2 {
		t.Errorf("%+v", order)
	}
	listed := decoded[business.OrderList](t, b.Gives(t, "get-orders", map[string]any{"timespan": "last-30-days"})).Orders[0]
	if listed.OrderID != order.OrderID || listed.Status != business.PendingApproval {
		t.Errorf("%+v", listed)
	}
}

func (b buyer) asinWins(t *testing.T) {
	request := b.url("B000000000")
	request["asin"] = paper
	if order := decoded[business.Order](t, b.Gives(t, "buy-now", request)); order.Items[0].ASIN != paper {
		t.Errorf("%+v", order)
	}
}
