package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/sandbox"
)

// site is a small stand-in: a page that shows who is signed in and hands a
// token out, a sign-in, and a counter that a form moves.
type site struct {
	*sandbox.Kit
	url    string
	client *http.Client
}

func newSite(t *testing.T) *site {
	t.Helper()
	kit := sandbox.New(sandbox.Config{
		Name:   "counter",
		Users:  []sandbox.User{{Username: "ann", Password: "secret"}},
		Markup: []string{"new-ids"},
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page/{n}", func(w http.ResponseWriter, r *http.Request) {
		session := kit.Session(w, r)
		fmt.Fprintf(w, "%s|%s", session.User(), session.Token())
	})
	mux.HandleFunc("POST /sign-in", func(w http.ResponseWriter, r *http.Request) {
		if kit.Authenticate(r.PostFormValue("user"), r.PostFormValue("password")) {
			kit.Session(w, r).SignIn(r.PostFormValue("user"))
		}
	})
	mux.HandleFunc("POST /sign-out", func(w http.ResponseWriter, r *http.Request) { kit.Session(w, r).SignOut() })
	mux.HandleFunc("POST /count", func(http.ResponseWriter, *http.Request) { kit.Effect("count") })
	server := httptest.NewServer(kit.Handler(mux))
	t.Cleanup(server.Close)
	return &site{Kit: kit, url: server.URL, client: newClient(t)}
}

func newClient(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport}
}

// page opens a page and returns who is signed in and a fresh token.
func (s *site) page(t *testing.T) (user, token string) {
	t.Helper()
	status, body := s.do(t, http.MethodGet, "/page/1", nil)
	if status != http.StatusOK {
		t.Fatalf("page: status %d", status)
	}
	user, token, _ = strings.Cut(body, "|")
	return user, token
}

func (s *site) do(t *testing.T, method, path string, form url.Values) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(content)
}

func (s *site) signIn(t *testing.T, password string) {
	t.Helper()
	_, token := s.page(t)
	s.do(t, http.MethodPost, "/sign-in", url.Values{"user": {"ann"}, "password": {password}, sandbox.TokenField: {token}})
}

func TestSignInLastsUntilSignOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.signIn(t, "wrong")
	if user, _ := s.page(t); user != "" {
		t.Errorf("signed in as %q with a wrong password", user)
	}
	s.signIn(t, "secret")
	user, token := s.page(t)
	if user != "ann" {
		t.Errorf("signed in as %q, want ann", user)
	}
	other := &site{Kit: s.Kit, url: s.url, client: newClient(t)}
	for name, who := range map[string]*site{"ann": s, "": other} {
		if _, body := who.do(t, http.MethodGet, "/_sandbox/user", nil); !strings.Contains(body, `"user": "`+name+`"`) {
			t.Errorf("the browser of %q is told %s", name, body)
		}
	}
	s.do(t, http.MethodPost, "/sign-out", url.Values{sandbox.TokenField: {token}})
	if user, _ := s.page(t); user != "" {
		t.Errorf("still signed in as %q after signing out", user)
	}
	got := s.Traffic()
	if got.SignIns != 1 || got.RejectedSignIns != 1 || got.SignedIn != 0 {
		t.Errorf("sign-ins %d, rejected %d, signed in %d; want 1, 1, 0", got.SignIns, got.RejectedSignIns, got.SignedIn)
	}
}

func TestSignInChangesTheCookie(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.page(t)
	base, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	before := s.client.Jar.Cookies(base)[0]
	s.signIn(t, "secret")
	if after := s.client.Jar.Cookies(base)[0]; before.Value == after.Value {
		t.Error("a cookie from before the sign-in is good after it")
	}
}

func TestCookieIsKeptFromScriptsAndOtherSites(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	res, err := s.client.Get(s.url + "/page/1")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	cookie := res.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 0 || !cookie.Expires.IsZero() {
		t.Errorf("cookie %v, want HttpOnly, SameSite=Lax and no expiry", cookie)
	}
}

func TestChangesNeedTheSessionsOwnToken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, token := s.page(t)
	other := &site{Kit: s.Kit, url: s.url, client: newClient(t)}
	_, foreign := other.page(t)
	for name, value := range map[string]string{
		"none": "", "no signature": "abc", "changed": token + "x", "another session's": foreign,
	} {
		status, _ := s.do(t, http.MethodPost, "/count", url.Values{sandbox.TokenField: {value}})
		if status != http.StatusForbidden {
			t.Errorf("%s token: status %d, want 403", name, status)
		}
	}
	if got := s.Traffic(); got.Effects["count"] != 0 || got.Forged != 4 {
		t.Errorf("%d effects, %d forged; want 0, 4", got.Effects["count"], got.Forged)
	}
	if status, _ := s.do(t, http.MethodPost, "/count", url.Values{sandbox.TokenField: {token}}); status != http.StatusOK {
		t.Errorf("own token: status %d, want 200", status)
	}
}

func TestTokenInHeaderIsGood(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, token := s.page(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/count", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(sandbox.TokenHeader, token)
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("status %d, want 200", res.StatusCode)
	}
}

func TestDoubleSubmitActsTwiceAndIsCounted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, token := s.page(t)
	for range 3 {
		s.do(t, http.MethodPost, "/count", url.Values{sandbox.TokenField: {token}})
	}
	_, fresh := s.page(t)
	s.do(t, http.MethodPost, "/count", url.Values{sandbox.TokenField: {fresh}})
	got := s.Traffic()
	if diff := cmp.Diff(map[string]int{"POST /count": 2}, got.Repeated); diff != "" {
		t.Errorf("repeated (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"count": 4}, got.Effects); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
}

func TestStateTellsWhatArrived(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.page(t)
	s.page(t)
	s.do(t, http.MethodGet, "/nowhere", nil)
	status, body := s.do(t, http.MethodGet, "/_sandbox/state", nil)
	var got sandbox.Traffic
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %v:\n%s", status, err, body)
	}
	want := map[string]int{"GET /page/{n}": 2, "no route": 1}
	if diff := cmp.Diff(want, got.Requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if got.Site != "counter" {
		t.Errorf("site %q, want counter", got.Site)
	}
}

func TestOverlongBodyIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, token := s.page(t)
	form := url.Values{sandbox.TokenField: {token}, "x": {strings.Repeat("x", 70<<10)}}
	if status, _ := s.do(t, http.MethodPost, "/count", form); status != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d, want 413", status)
	}
	if got := s.Traffic().Effects["count"]; got != 0 {
		t.Errorf("%d effects, want none", got)
	}
}
