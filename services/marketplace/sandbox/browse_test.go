package sandbox_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"integration.gateway/services/marketplace/sandbox"
)

func TestSearchFindsByWords(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/search?q=Coffee+DRIPPER")
	titles, asins := v.shelf()
	if len(titles) != 3 || asins["Ceramic pour-over coffee dripper, size 02"] != dripper {
		t.Errorf("found %q", titles)
	}
	v.Sees(`value="Coffee DRIPPER"`, "1–3 of 3 products", "$26.49")
}

func TestSearchInTheGroceryStoreFindsGroceriesOnly(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/search?q=coffee&store=all")
	all, _ := v.shelf()
	v.Open("/search?q=coffee&store=grocery")
	groceries, _ := v.shelf()
	if len(groceries) == 0 || len(groceries) >= len(all) {
		t.Errorf("%d in the grocery store, %d in all", len(groceries), len(all))
	}
	if slices.ContainsFunc(groceries, func(s string) bool { return strings.Contains(s, "grinder") }) {
		t.Errorf("the grocery store sells %q", groceries)
	}
	v.Open("/search?q=coffee&store=pharmacy") // no such store
	v.Answered(http.StatusBadRequest)
}

func TestPagesOfResultsHoldEachProductOnce(t *testing.T) {
	t.Parallel()
	v := visit(t)
	seen := map[string]bool{}
	total := 0
	for path := "/search?q=&store=all"; path != ""; path = v.Next() {
		v.Open(path)
		titles, _ := v.shelf()
		for _, title := range titles {
			if seen[title] {
				t.Errorf("%q stands on two pages", title)
			}
			seen[title] = true
		}
		total += len(titles)
	}
	if total < 200 {
		t.Errorf("the shop has %d products, want a few hundred", total)
	}
	for _, number := range []string{"0", "-1", "99", "two"} {
		v.Open("/search?q=&page=" + number)
		v.Answered(http.StatusNotFound)
	}
}

func TestSearchWithoutResultsSaysSo(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/search?q=" + url.QueryEscape(`<b>unobtainium</b>`))
	v.SeesNot(`<li class="product-card"`)
	v.Answered(http.StatusOK, `class="no-results"`)
	if strings.Contains(v.Page, "<b>unobtainium") {
		t.Error("the words of the search stand in the page as markup")
	}
}

func TestSearchRefusesWhatIsNoText(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, words := range []string{"%ff", strings.Repeat("x", 2001)} {
		v.Open("/search?q=" + words)
		v.Answered(http.StatusBadRequest)
	}
}

func TestDepartmentShowsItsProducts(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/departments/books")
	if titles, _ := v.shelf(); len(titles) != 12 {
		t.Errorf("%d books, want 12", len(titles))
	}
	v.Open("/departments/weapons")
	v.Answered(http.StatusNotFound)
}

func TestProductPageShowsPictureAndPrice(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/dp/" + dripper)
	v.Sees("Ceramic pour-over coffee dripper, size 02", "$26.49", "Add to cart", "Buy now")
	v.Open("/images/" + dripper + ".svg")
	v.Sees("<svg")
	v.Open("/dp/" + v.asin("Laptop 14 inch, 16 GB, 512 GB"))
	v.Sees("$1,049.09")
}

func TestUnknownProductIsNotFound(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, path := range []string{"/dp/B000000000", "/dp/x", "/images/B000000000.svg", "/nowhere"} {
		v.Open(path)
		v.Answered(http.StatusNotFound)
	}
}

func TestSoldOutProductCannotBeBought(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	asin := v.asin(soldOut)
	v.Open("/dp/" + asin)
	v.Sees("Currently unavailable")
	v.SeesNot("Buy now", "Add to cart")
	v.Open("/dp/" + dripper)
	v.Submit("/cart", url.Values{"asin": {asin}})
	v.Sees("Currently unavailable")
	v.Open("/dp/" + dripper)
	v.Submit("/buy-now", url.Values{"asin": {asin}})
	v.Sees("Currently unavailable")
	if state := v.State(); len(state.Orders) != 0 || len(state.Carts) != 0 {
		t.Errorf("orders %v, carts %v; want none", state.Orders, state.Carts)
	}
}

func TestEveryShopSellsTheSame(t *testing.T) {
	t.Parallel()
	one, two := visit(t), visit(t)
	one.Open("/search?q=&page=3")
	two.Open("/search?q=&page=3")
	_, first := one.shelf()
	_, second := two.shelf()
	for title, asin := range first {
		if second[title] != asin {
			t.Errorf("%q is %s in one shop and %q in the other", title, asin, second[title])
		}
	}
}
