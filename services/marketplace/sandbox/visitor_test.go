package sandbox_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	kit "integration.gateway/pkg/sandbox"
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
	t      *testing.T
	url    string
	client *http.Client
	page   string // the page that the visitor looks at
	path   string // where that is
	status int
}

// visit opens a shop of its own and goes there.
func visit(t *testing.T) *visitor {
	t.Helper()
	shop := sandbox.New()
	server := httptest.NewServer(shop)
	t.Cleanup(server.Close)
	return enter(t, shop, server.URL)
}

// enter goes to a shop with a fresh browser.
func enter(t *testing.T, shop *sandbox.Shop, address string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &visitor{Shop: shop, t: t, url: address, client: &http.Client{Jar: jar, Transport: transport}}
}

// open goes to a page, and on to where it leads.
func (v *visitor) open(path string) {
	v.t.Helper()
	v.send(http.MethodGet, path, "")
}

// submit sends the page's form with this action, the values typed into it.
func (v *visitor) submit(action string, typed url.Values) {
	v.t.Helper()
	v.send(http.MethodPost, action, v.filled(action, typed).Encode())
}

func (v *visitor) send(method, path, body string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	v.page, v.path, v.status = string(content), res.Request.URL.RequestURI(), res.StatusCode
}

var hiddenInput = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// filled returns the hidden fields of the page's form, and what was typed.
func (v *visitor) filled(action string, typed url.Values) url.Values {
	v.t.Helper()
	_, form, found := strings.Cut(v.page, `action="`+action+`"`)
	if !found {
		v.t.Fatalf("no form for %s on %s", action, v.path)
	}
	form, _, _ = strings.Cut(form, "</form>")
	values := url.Values{}
	for _, input := range hiddenInput.FindAllStringSubmatch(form, -1) {
		values.Set(input[1], html.UnescapeString(input[2]))
	}
	for name, value := range typed {
		values[name] = value
	}
	return values
}

func (v *visitor) signIn(user kit.User) {
	v.t.Helper()
	v.open("/sign-in")
	v.submit("/sign-in", url.Values{"email": {user.Username}, "password": {user.Password}})
	if v.path != "/account" {
		v.t.Fatalf("after the sign-in at %s, want /account", v.path)
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
	for _, card := range productCard.FindAllStringSubmatch(v.page, -1) {
		title := html.UnescapeString(productTitle.FindStringSubmatch(card[2])[1])
		titles = append(titles, title)
		asins[title] = card[1]
	}
	return titles, asins
}

// asin looks a product up by its title.
func (v *visitor) asin(title string) string {
	v.t.Helper()
	v.open("/search?q=" + url.QueryEscape(title))
	_, asins := v.shelf()
	if asins[title] == "" {
		v.t.Fatalf("no product %q", title)
	}
	return asins[title]
}

func (v *visitor) sees(texts ...string) {
	v.t.Helper()
	page := html.UnescapeString(v.page)
	for _, text := range texts {
		if !strings.Contains(page, text) {
			v.t.Errorf("%s (%d) does not show %q", v.path, v.status, text)
		}
	}
}

func (v *visitor) seesNot(texts ...string) {
	v.t.Helper()
	page := html.UnescapeString(v.page)
	for _, text := range texts {
		if strings.Contains(page, text) {
			v.t.Errorf("%s shows %q", v.path, text)
		}
	}
}
