package sandbox_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/marketplace/sandbox"
)

func TestWrongPasswordIsRefused(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, typed := range []url.Values{
		{"email": {sandbox.Jane.Username}, "password": {"guess"}},
		{"email": {"nobody@example.com"}, "password": {sandbox.Jane.Password}},
		{"email": {""}, "password": {""}},
	} {
		v.open("/sign-in")
		v.submit("/sign-in", typed)
		v.sees("We do not know this e-mail address and password.")
		v.open("/account")
		v.sees(`class="panel sign-in-form"`)
	}
}

func TestEveryUserCanSignInAndOut(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, user := range sandbox.Users {
		v.signIn(user)
		v.sees("Your account", user.Username, `class="account-menu"`)
		v.submit("/sign-out", nil)
		v.seesNot(`class="account-menu"`)
	}
}

func TestSignInLeadsBackToWhereOneCameFrom(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"/orders?page=2":                "/orders?page=2",
		"":                              "/account",
		"https://evil.example/":         "/account",
		"//evil.example/":               "/account",
		`/\evil.example/`:               "/account",
		"javascript:alert(1)":           "/account",
		"/%2F/evil.example":             "/account",
		"/search?q=https://example.org": "/search?q=https://example.org",
	} {
		v := visit(t)
		v.open("/sign-in?" + url.Values{"return": {asked}}.Encode())
		v.submit("/sign-in", url.Values{"email": {sandbox.Jane.Username}, "password": {sandbox.Jane.Password}})
		if v.path != want {
			t.Errorf("return to %q leads to %s, want %s", asked, v.path, want)
		}
	}
}

func TestDefaultsAreChosenAmongOnesOwn(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.submit("/account/defaults", url.Values{"address": {"work"}})
	v.open("/account")
	v.submit("/account/defaults", url.Values{"address": {"moon"}})
	if v.status != http.StatusBadRequest {
		t.Errorf("status %d, want 400", v.status)
	}
	v.open("/dp/" + dripper)
	v.submit("/buy-now", nil)
	v.sees("400 Harbor Avenue")
}

func TestPagesForbidForeignScriptsAndFrames(t *testing.T) {
	t.Parallel()
	v := visit(t)
	res, err := v.client.Get(v.url + "/")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'self'") {
		t.Errorf("policy %q", policy)
	}
}

func TestCookieBannerShowsUntilAnswered(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.open("/")
	v.sees("A word about cookies", `class="consent"`)
	v.SetFaults(kit.Faults{Markup: []string{sandbox.CookieWall}})
	v.open("/")
	v.sees(`class="consent consent-wall"`)
	base, err := url.Parse(v.url)
	if err != nil {
		t.Fatal(err)
	}
	v.client.Jar.SetCookies(base, []*http.Cookie{{Name: "consent", Value: "all"}})
	v.open("/")
	v.seesNot("A word about cookies")
}

func TestNewIDsChangeNothingButIDs(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.SetFaults(kit.Faults{Markup: []string{sandbox.NewIDs}})
	v.open("/dp/" + dripper)
	v.sees("Buy now", `class="button wide buy-now"`, `data-asin="`+dripper+`"`)
	v.seesNot(`id="buy-now-button"`)
	v.open("/search?q=dripper")
	if titles, _ := v.shelf(); len(titles) != 3 {
		t.Errorf("found %d, want 3", len(titles))
	}
}

func TestRedesignChangesWhatFlowsGoBy(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.SetFaults(kit.Faults{Markup: []string{sandbox.Redesign}})
	v.open("/dp/" + dripper)
	v.sees("Order at once", `class="l2-button l2-wide l2-buy-now"`)
	v.seesNot("Buy now", "Add to cart", ` data-asin=`, ` class="button`, `id="buy-now-button"`)
	v.submit("/buy-now", nil) // people still can order
	if got := len(v.State().Orders); got != 1 {
		t.Errorf("%d orders, want 1", got)
	}
	v.open("/assets/shop.css?redesign")
	v.sees(".l2-masthead")
	v.seesNot(".masthead")
}

func TestSignedOutInTheMiddleLeadsToTheSignIn(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.open("/dp/" + dripper)
	v.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/buy-now"}}})
	v.submit("/buy-now", nil)
	v.sees(`class="panel sign-in-form"`)
	if got := len(v.State().Orders); got != 0 {
		t.Errorf("%d orders, want none", got)
	}
}
