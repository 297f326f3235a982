package devtools_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/contracts/event"
)

const password = "correct-horse-battery"

// newFormSite signs in whoever sends its form, and answers the form itself
// instead of redirecting. Its service worker keeps what it sees.
func newFormSite(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/worker.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = fmt.Fprint(w, `self.seen = []; oninstall = () => skipWaiting(); onactivate = e => e.waitUntil(clients.claim());
			onfetch = e => { const copy = e.request.clone(); copy.text().then(text => self.seen.push(text)) }`)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.Method == http.MethodPost {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: "Anna", Path: "/"})
			_, _ = fmt.Fprint(w, `<title>In</title><p id="in">Hello<script>window.name = "in"; sessionStorage.tab = "7"; window.open("/window")</script>`)
			return
		}
		_, _ = fmt.Fprint(w, `<title>Shop</title><script>window.ready = navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready)</script>
			<form method="post"><input id="user" name="user"><input id="password" name="password" type="password"><button id="enter">Enter</button></form>`)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site
}

// signInByForm has the page sign in by the site's form.
func (s *session) signInByForm() {
	s.t.Helper()
	page := s.page.Rod().Context(s.ctx).Timeout(patience)
	must := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	must(page.Navigate(s.site.URL + "/login"))
	must(page.WaitLoad())
	_, err := page.Eval("() => window.ready.then(() => null)")
	must(err)
	for selector, text := range map[string]string{"#user": "anna", "#password": password} {
		field, err := page.Element(selector)
		must(err)
		must(field.Input(text))
	}
	enter, err := page.Element("#enter")
	must(err)
	must(enter.Click(proto.InputMouseButtonLeft, 1))
	_, err = page.Element("#in")
	must(err)
}

// Whoever goes back to a page that a form was sent for sends the form again, and
// reads what it sends.
func TestThePasswordOfTheSignInIsOutOfReach(t *testing.T) {
	t.Parallel()
	s := lease(t, newFormSite(t))
	s.signInByForm()
	if _, err := s.page.State(s.ctx, []string{s.site.URL}); err != nil {
		t.Fatal(err)
	}
	s.handOver(s.site.URL + "/home")

	w := s.dial(event.Control)
	var pages []info
	for _, target := range w.targets() {
		switch target.Type {
		case "page":
			pages = append(pages, target)
		case "service_worker":
			if seen := w.call(w.attachTo(target.TargetID), "Runtime.evaluate", object{"expression": "String(self.seen)"}); strings.Contains(seen, password) {
				t.Error("the site's service worker tells the password")
			}
		}
	}
	if len(pages) != 1 || pages[0].URL != s.site.URL+"/home" || pages[0].OpenerID != "" {
		t.Errorf("clients find the pages %+v", pages)
	}
	first := slices.IndexFunc(pages, func(page info) bool { return page.OpenerID == "" })
	page := w.attachTo(pages[first].TargetID)
	for _, method := range []string{"Network.enable", "Page.enable"} {
		w.call(page, method, nil)
	}
	var history struct {
		Entries []struct{ ID int }
	}
	w.call(page, "Page.getNavigationHistory", nil, &history)
	for _, entry := range history.Entries {
		w.call(page, "Page.navigateToHistoryEntry", object{"entryId": entry.ID})
		w.event("Page.loadEventFired", nil)
	}
	for _, m := range w.heard {
		if strings.Contains(string(m.Params), password) {
			t.Errorf("%s tells the password: %s", m.Method, m.Params)
		}
	}
	var stored struct{ Result struct{ Value string } }
	w.call(page, "Page.navigate", object{"url": s.site.URL + "/home"})
	w.event("Page.loadEventFired", nil)
	w.call(page, "Runtime.evaluate", object{"expression": "sessionStorage.tab + window.name + window.opener"}, &stored)
	if stored.Result.Value != "7null" {
		t.Errorf("the new page has %q of the old one's session storage, name and opener", stored.Result.Value)
	}
}
