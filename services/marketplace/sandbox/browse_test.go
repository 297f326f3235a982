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
	v.open("/search?q=Coffee+DRIPPER")
	titles, asins := v.shelf()
	if len(titles) != 3 || asins["Ceramic pour-over coffee dripper, size 02"] != dripper {
		t.Errorf("found %q", titles)
	}
	v.sees(`value="Coffee DRIPPER"`, "1–3 of 3 products", "$26.49")
}

func TestSearchInTheGroceryStoreFindsGroceriesOnly(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.open("/search?q=coffee&store=all")
	all, _ := v.shelf()
	v.open("/search?q=coffee&store=grocery")
	groceries, _ := v.shelf()
	if len(groceries) == 0 || len(groceries) >= len(all) {
		t.Errorf("%d in the grocery store, %d in all", len(groceries), len(all))
	}
	if slices.ContainsFunc(groceries, func(s string) bool { return strings.Contains(s, "grinder") }) {
		t.Errorf("the grocery store sells %q", groceries)
	}
	v.open("/search?q=coffee&store=pharmacy")
	if v.status != http.StatusBadRequest {
		t.Errorf("unknown store: status %d, want 400", v.status)
	}
}

func TestPagesOfResultsHoldEachProductOnce(t *testing.T) {
	t.Parallel()
	v := visit(t)
	seen := map[string]bool{}
	total := 0
	for path := "/search?q=&store=all"; path != ""; {
		v.open(path)
		titles, _ := v.shelf()
		for _, title := range titles {
			if seen[title] {
				t.Errorf("%q stands on two pages", title)
			}
			seen[title] = true
		}
		total += len(titles)
		path = ""
		if _, next, found := strings.Cut(v.page, `<a rel="next" href="`); found {
			path, _, _ = strings.Cut(next, `"`)
			path = strings.ReplaceAll(path, "&amp;", "&")
		}
	}
	if total < 200 {
		t.Errorf("the shop has %d products, want a few hundred", total)
	}
	for _, number := range []string{"0", "-1", "99", "two"} {
		v.open("/search?q=&page=" + number)
		if v.status != http.StatusNotFound {
			t.Errorf("page %s: status %d, want 404", number, v.status)
		}
	}
}

func TestSearchWithoutResultsSaysSo(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.open("/search?q=" + url.QueryEscape(`<b>unobtainium</b>`))
	v.seesNot(`<li class="product-card"`)
	v.sees(`class="no-results"`)
	if strings.Contains(v.page, "<b>unobtainium") {
		t.Error("the words of the search stand in the page as markup")
	}
	if v.status != http.StatusOK {
		t.Errorf("status %d, want 200", v.status)
	}
}

func TestSearchRefusesWhatIsNoText(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, words := range []string{"%ff", strings.Repeat("x", 2001)} {
		v.open("/search?q=" + words)
		if v.status != http.StatusBadRequest {
			t.Errorf("status %d, want 400", v.status)
		}
	}
}

func TestDepartmentShowsItsProducts(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.open("/departments/books")
	if titles, _ := v.shelf(); len(titles) != 12 {
		t.Errorf("%d books, want 12", len(titles))
	}
	v.open("/departments/weapons")
	if v.status != http.StatusNotFound {
		t.Errorf("status %d, want 404", v.status)
	}
}

func TestProductPageShowsPictureAndPrice(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.open("/dp/" + dripper)
	v.sees("Ceramic pour-over coffee dripper, size 02", "$26.49", "Add to cart", "Buy now")
	v.open("/images/" + dripper + ".svg")
	v.sees("<svg")
	v.open("/dp/" + v.asin("Laptop 14 inch, 16 GB, 512 GB"))
	v.sees("$1,049.09")
}

func TestUnknownProductIsNotFound(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, path := range []string{"/dp/B000000000", "/dp/x", "/images/B000000000.svg", "/nowhere"} {
		v.open(path)
		if v.status != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, v.status)
		}
	}
}

func TestSoldOutProductCannotBeBought(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	asin := v.asin(soldOut)
	v.open("/dp/" + asin)
	v.sees("Currently unavailable")
	v.seesNot("Buy now", "Add to cart")
	v.open("/dp/" + dripper)
	v.submit("/cart", url.Values{"asin": {asin}})
	v.sees("Currently unavailable")
	v.open("/dp/" + dripper)
	v.submit("/buy-now", url.Values{"asin": {asin}})
	v.sees("Currently unavailable")
	if state := v.State(); len(state.Orders) != 0 || len(state.Carts) != 0 {
		t.Errorf("orders %v, carts %v; want none", state.Orders, state.Carts)
	}
}

func TestEveryShopSellsTheSame(t *testing.T) {
	t.Parallel()
	one, two := visit(t), visit(t)
	one.open("/search?q=&page=3")
	two.open("/search?q=&page=3")
	_, first := one.shelf()
	_, second := two.shelf()
	for title, asin := range first {
		if second[title] != asin {
			t.Errorf("%q is %s in one shop and %q in the other", title, asin, second[title])
		}
	}
}
