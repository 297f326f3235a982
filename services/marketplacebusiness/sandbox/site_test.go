package sandbox_test

import (
	"net/http"
	"net/url"
	"testing"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/marketplacebusiness/sandbox"
)

func TestEverythingNeedsASignIn(t *testing.T) {
	t.Parallel()
	v := enter(t)
	v.Open("/dp/" + paper + "?from=mail")
	v.Sees("Sign in to your business account")
	v.Submit("/sign-in", url.Values{"email": {sandbox.Jane.Username}, "password": {"wrong"}, "return": {"/dp/" + paper}})
	v.Sees("The e-mail address or the password is not right.")
	v.Submit("/sign-in", url.Values{"email": {" Jane.Roe@Example.com "}, "password": {sandbox.Jane.Password}, "return": {"/dp/" + paper}})
	v.At("/dp/" + paper)
	v.Open("/account")
	v.Submit("/sign-out", nil)
	v.Open("/api/orders?span=all")
	v.Answered(http.StatusUnauthorized, "Sign in first.")
	v.Open("/sign-in?return=//elsewhere.example")
	v.Submit("/sign-in", url.Values{"email": {sandbox.Jane.Username}, "password": {sandbox.Jane.Password}, "return": {"//elsewhere.example"}})
	v.At("/account")
}

func TestSearchResultsComeInBatchesOfAPage(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	first, batches := v.all("/api/items?q=paper&zip=62704")
	if len(first.Rows) != 48 || first.Total != 48 || batches != 3 {
		t.Errorf("%d of %d items in %d batches, want 48 of 48 in 3", len(first.Rows), first.Total, batches)
	}
	third, _ := v.all("/api/items?q=paper&zip=62704&page=3")
	if len(third.Rows) != 133-2*48 || third.Rows[0].ASIN == first.Rows[0].ASIN {
		t.Errorf("the third page has %d items", len(third.Rows))
	}
	v.Open("/search?q=paper&zip=62704&page=3")
	v.Sees("Earlier results", "Results for “paper”")
	v.SeesNot("More results")
	if none, _ := v.all("/api/items?q=zeppelin&zip=62704"); none.Total != 0 {
		t.Errorf("%d items, want none", none.Total)
	}
}

func TestPricesAndAvailabilityGoByThePlace(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	for zip, price := range map[string]string{"62704": "$20.15", "10001": "$20.55", "97205": "$20.95", "99501": "$22.56", "96813-1234": "$22.56"} {
		found, _ := v.all("/api/items?q=copy+paper+a4+80+5+reams&zip=" + zip)
		if found.Rows[0].ASIN != paper || found.Rows[0].Price != price {
			t.Errorf("%s: %+v, want %s", zip, found.Rows[0], price)
		}
	}
	for zip, obstacle := range map[string]string{"62704": "", "97205": "", "99501": "This item cannot be delivered to 99501."} {
		found, _ := v.all("/api/items?q=oven+cleaner+pack+of+10&zip=" + zip)
		if row := found.Rows[0]; row.Obstacle != obstacle || (row.Price == "") != (obstacle != "") {
			t.Errorf("%s: %+v, want %q", zip, row, obstacle)
		}
	}
	if far, _ := v.all("/api/items?q=envelopes+c4+100&zip=97205"); far.Rows[0].Obstacle == "" {
		t.Errorf("in the west: %+v", far.Rows[0])
	}
	v.Open("/api/items?q=paper&zip=6270")
	v.Answered(http.StatusUnprocessableEntity, "“6270” is no ZIP code")
	v.Open("/search?q=paper&zip=SW1A")
	v.Sees("“SW1A” is no ZIP code. Enter five digits.")
}

func TestOrdersOfASpanComeToTheirEnd(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	counts := map[sandbox.Span]int{}
	for _, span := range []sandbox.Span{sandbox.Month, sandbox.Quarter, sandbox.HalfYear, sandbox.Year, sandbox.Unlimited} {
		want := v.OrdersOf(sandbox.Jane.Username, span)
		got, _ := v.all("/api/orders?span=" + string(span))
		if len(got.Rows) != len(want) || got.Total != len(want) {
			t.Errorf("%s: %d of %d orders, want %d", span, len(got.Rows), got.Total, len(want))
		}
		for i := range got.Rows {
			if got.Rows[i].OrderID != want[i].ID || i > 0 && want[i].PlacedAt.After(want[i-1].PlacedAt) {
				t.Errorf("%s: order %d is %s", span, i, got.Rows[i].OrderID)
			}
		}
		counts[span] = len(want)
	}
	if counts[sandbox.Month] < 11 || counts[sandbox.Unlimited] < 40 || counts[sandbox.Year] == counts[sandbox.Unlimited] {
		t.Errorf("counts %v", counts)
	}
	none, _ := v.all("/api/orders?span=century")
	if none.Total != 0 {
		t.Errorf("%d orders of an unknown span", none.Total)
	}
}

// An order that is placed while somebody scrolls shifts nothing.
func TestOrdersAreCountedFromAnOrder(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	first := v.part("/api/orders?span=30d")
	v.Open("/dp/" + paper)
	v.post("/api/buy-now", map[string]any{"asin": paper})
	second := v.part(first.Next)
	if want := v.OrdersOf(sandbox.Jane.Username, sandbox.Month)[11].ID; second.Rows[0].OrderID != want {
		t.Errorf("the second batch begins with %s, want %s", second.Rows[0].OrderID, want)
	}
}

func TestOrdersAreFoundByTheirMarks(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	past := v.OrdersOf(sandbox.Jane.Username, sandbox.Unlimited)
	for text, want := range map[string]int{past[20].ID: 1, past[1].PurchaseOrder: 1, "no such order": 0} {
		if got, _ := v.all("/api/orders?span=all&find=" + url.QueryEscape(text)); got.Total != want {
			t.Errorf("%s: %d orders, want %d", text, got.Total, want)
		}
	}
	v.Open("/orders/" + past[5].ID)
	v.Sees(past[5].Address, past[5].Total.String(), "Delivered")
	v.Open("/invoices/" + past[5].ID)
	v.Sees("Invoice for order " + past[5].ID)
	v.Open("/invoices/" + past[0].ID) // not sent yet
	v.Answered(http.StatusNotFound, "There is no such page")
	v.signOutAndIn(sandbox.Amir)
	v.Open("/orders/" + past[5].ID)
	v.Answered(http.StatusNotFound, "There is no such page")
}

func (v *visitor) signOutAndIn(user kit.User) {
	v.T.Helper()
	v.Open("/account")
	v.Submit("/sign-out", nil)
	v.signIn(user)
}

func TestBuyAgainListsEachProductOnce(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	got, _ := v.all("/api/buy-again")
	seen := map[string]bool{}
	for _, row := range got.Rows {
		if seen[row.ASIN] || row.Note == "" {
			t.Errorf("%+v", row)
		}
		seen[row.ASIN] = true
	}
	if len(got.Rows) < 40 || got.Rows[0].ASIN != v.OrdersOf(sandbox.Jane.Username, sandbox.Month)[0].Lines[0].ASIN {
		t.Errorf("%d items, the first %+v", len(got.Rows), got.Rows[0])
	}
	v.signOutAndIn(sandbox.Amir)
	if none, _ := v.all("/api/buy-again"); none.Total != 0 {
		t.Errorf("%d items of an organisation that never ordered", none.Total)
	}
}
