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
		v.Open("/sign-in")
		v.Submit("/sign-in", typed)
		v.Sees("We do not know this e-mail address and password.")
		v.Open("/account")
		v.Sees(`class="panel sign-in-form"`)
	}
}

func TestEveryUserCanSignInAndOut(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, user := range sandbox.Users {
		v.signIn(user)
		v.Sees("Your account", user.Username, `class="account-menu"`)
		v.Submit("/sign-out", nil)
		v.SeesNot(`class="account-menu"`)
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
		v.Open("/sign-in?" + url.Values{"return": {asked}}.Encode())
		v.Submit("/sign-in", url.Values{"email": {sandbox.Jane.Username}, "password": {sandbox.Jane.Password}})
		if v.Path != want {
			t.Errorf("return to %q leads to %s, want %s", asked, v.Path, want)
		}
	}
}

func TestDefaultsAreChosenAmongOnesOwn(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.Submit("/account/defaults", url.Values{"address": {"work"}})
	v.Open("/account")
	v.Submit("/account/defaults", url.Values{"address": {"moon"}})
	v.Answered(http.StatusBadRequest)
	v.Open("/dp/" + dripper)
	v.Submit("/buy-now", nil)
	v.Sees("400 Harbor Avenue")
}

func TestPagesForbidForeignScriptsAndFrames(t *testing.T) {
	t.Parallel()
	v := visit(t)
	res, err := v.Client.Get(v.URL + "/")
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
	v.Open("/")
	v.Sees("A word about cookies", `class="consent"`)
	v.SetFaults(kit.Faults{Markup: []string{sandbox.CookieWall}})
	v.Open("/")
	v.Sees(`class="consent consent-wall"`)
	base, err := url.Parse(v.URL)
	if err != nil {
		t.Fatal(err)
	}
	v.Client.Jar.SetCookies(base, []*http.Cookie{{Name: "consent", Value: "all"}})
	v.Open("/")
	v.SeesNot("A word about cookies")
}

func TestNewIDsChangeNothingButIDs(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.SetFaults(kit.Faults{Markup: []string{sandbox.NewIDs}})
	v.Open("/dp/" + dripper)
	v.Sees("Buy now", `class="button wide buy-now"`, `data-asin="`+dripper+`"`)
	v.SeesNot(`id="buy-now-button"`)
	v.Open("/search?q=dripper")
	if titles, _ := v.shelf(); len(titles) != 3 {
		t.Errorf("found %d, want 3", len(titles))
	}
}

func TestRedesignChangesWhatFlowsGoBy(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.SetFaults(kit.Faults{Markup: []string{sandbox.Redesign}})
	v.Open("/dp/" + dripper)
	v.Sees("Order at once", `class="l2-button l2-wide l2-buy-now"`)
	v.SeesNot("Buy now", "Add to cart", ` data-asin=`, ` class="button`, `id="buy-now-button"`)
	v.Submit("/buy-now", nil) // people still can order
	if got := len(v.State().Orders); got != 1 {
		t.Errorf("%d orders, want 1", got)
	}
	v.Open("/assets/shop.css?redesign")
	v.Sees(".l2-masthead")
	v.SeesNot(".masthead")
}

func TestSignedOutInTheMiddleLeadsToTheSignIn(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.Open("/dp/" + dripper)
	v.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/buy-now"}}})
	v.Submit("/buy-now", nil)
	v.Sees(`class="panel sign-in-form"`)
	if got := len(v.State().Orders); got != 0 {
		t.Errorf("%d orders, want none", got)
	}
}
