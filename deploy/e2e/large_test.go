package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/marketplace"
	kit "integration.gateway/pkg/sandbox"
)

const (
	products     = 10_000
	productTitle = 300 // bytes; a whole list of such products has about 4 MiB
)

// warehouse is a site that lists all that it has at once. What is searched for
// is how long the products' titles are.
var warehouse = map[string]string{
	"site.yaml": `site: warehouse
integration: marketplace
baseUrl: %s
currency: USD
timeout: 30000
operations:
  search: {flow: search.yaml, public: true, ignores: [isGroceryChain]}
`,
	"search.yaml": `steps:
  - type: customStep
    name: extract
    parameters:
      into: items
      fetch: {url: "/products.json?title={{ query }}"}
      each: $.products[*]
      fields:
        asin: $.Number
        title: $.Title
        itemUrl: {selector: $.Page, as: url}
        available: {const: true}
        price: {selector: $.Price, as: money}
`,
}

func serveProducts(w http.ResponseWriter, r *http.Request) {
	length, err := strconv.Atoi(r.FormValue("title"))
	if err != nil { // the page on which the products are asked for
		w.Header().Set("Content-Type", "text/html")
		return
	}
	type product struct {
		Number, Title, Page, Price string
	}
	all := make([]product, products)
	for i := range all {
		all[i] = product{fmt.Sprintf("B%09d", i), strings.Repeat("x", length), fmt.Sprintf("/dp/%d", i), fmt.Sprintf("$%d.50", i)}
	}
	kit.WriteJSON(w, http.StatusOK, map[string]any{"products": all})
}

func TestLargeResults(t *testing.T) {
	g := shareStack(t, func(sites string) {
		shop := httptest.NewServer(http.HandlerFunc(serveProducts))
		t.Cleanup(func() {
			shop.CloseClientConnections() // a browser keeps some
			shop.Close()
		})
		folder := filepath.Join(sites, "marketplace", "warehouse")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range warehouse {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(strings.ReplaceAll(text, "%s", shop.URL)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}).newCaller("Caller with large results")
	who := g.linkAt("warehouse", "nobody", "signs in there")
	search := func(title int) response {
		return g.send(http.MethodGet, fmt.Sprintf("%s?query=%d", marketplace.Search.Path, title), who, nil)
	}

	begun := time.Now()
	r := search(productTitle)
	t.Logf("%d bytes after %s", len(r.body), time.Since(begun))
	items := result[marketplace.SearchResults](g, r).Items
	for i, item := range items {
		if item.ASIN != fmt.Sprintf("B%09d", i) || len(item.Title) != productTitle || item.Price.Amount != fmt.Sprintf("%d.50", i) {
			t.Fatalf("product %d is %+v", i, item)
		}
	}
	if len(items) != products || len(r.body) < contracts.MaxMessageBytes/2 {
		t.Errorf("%d products in %d bytes", len(items), len(r.body))
	}
	g.expectEvents(r, readEvents...)

	begun = time.Now()
	r = search(3 * productTitle)
	t.Logf("refused after %s", time.Since(begun))
	if message := denied(g, r, http.StatusInternalServerError); !strings.Contains(message, "ask for less at once") {
		t.Error(message)
	}
	g.expectEvents(r, readEvents...)
	events := g.events(r)
	if end := string(events[len(events)-1].Data); !strings.Contains(end, `"failed"`) || !strings.Contains(end, "ask for less at once") {
		t.Errorf("its end in the log is %s", end)
	}
}
