package sandboxtest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/sandbox/sandboxtest"
)

// newSite is a stand-in whose pages say what reached it.
func newSite() http.Handler {
	kit := sandbox.New(sandbox.Config{Name: "echo"})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) {
		session := kit.Session(w, r)
		sandbox.WriteHTML(w, http.StatusOK, fmt.Appendf(nil, `<meta name="csrf-token" content="%s"><h1>Tea &amp; cake of %s</h1>
			<form action="/echo"><input type="hidden" name="csrf" value="of a search"></form>
			<form id="first" action="/echo" method="post"><input type="hidden" name="csrf" value="%s">
				<input type="hidden" name="a" value="1&amp;2"><input type="hidden" name="b" value="3"></form>
			<form method="post"><input type="hidden" name="csrf" value="%[3]s"></form>
			<a rel="next" href="/page?from=7&amp;x=1">Next</a><p data-id="7"></p><p data-id="8&amp;9"></p>`,
			session.Token(), session.Guest(), session.Token()))
	})
	mux.HandleFunc("GET /elsewhere", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/page?from=2", http.StatusSeeOther)
	})
	echo := func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		r.Form.Del(sandbox.TokenField)
		sandbox.WriteJSON(w, http.StatusAccepted, map[string]any{"Form": r.Form, "Kind": r.Header.Get("Content-Type")})
	}
	mux.HandleFunc("POST /echo", echo)
	mux.HandleFunc("POST /page", echo)
	return kit.Handler(mux)
}

// echoed is what the site says to have got.
type echoed struct {
	Form url.Values
	Kind string
}

func checkEchoed(t *testing.T, v *sandboxtest.Visitor, want echoed) {
	t.Helper()
	v.Answered(http.StatusAccepted)
	var got echoed
	v.Decode(&got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestVisitorFollowsAndReads(t *testing.T) {
	t.Parallel()
	v := sandboxtest.Visit(t, newSite())
	v.Open("/elsewhere")
	v.At("/page?from=2")
	v.Answered(http.StatusOK, "Tea & cake of guest-1", "<h1>")
	v.SeesNot("Tea &amp; cake", "guest-2")
	if diff := cmp.Diff([]string{"7", "8&9"}, v.Attributes("data-id")); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if next := v.Next(); next != "/page?from=7&x=1" {
		t.Errorf("the next page is %q", next)
	}
	v.Open("/nowhere")
	v.Answered(http.StatusNotFound)
	if next := v.Next(); next != "" {
		t.Errorf("behind the last page is %q", next)
	}
}

func TestFormsTakeTheirHiddenFieldsAlong(t *testing.T) {
	t.Parallel()
	v := sandboxtest.Visit(t, newSite())
	v.Open("/page")
	v.Submit("/echo", url.Values{"b": {"4"}, "c": {"5", "6"}})
	checkEchoed(t, v, echoed{url.Values{"a": {"1&2"}, "b": {"4"}, "c": {"5", "6"}}, "application/x-www-form-urlencoded"})
	v.Open("/page?from=2")
	v.Submit("/page?from=2", nil) // of the form without an action
	checkEchoed(t, v, echoed{url.Values{"from": {"2"}}, "application/x-www-form-urlencoded"})
}

func TestScriptsSendTheTokenOfTheirPage(t *testing.T) {
	t.Parallel()
	v := sandboxtest.Visit(t, newSite())
	v.Send(http.MethodPost, "/echo", nil)
	v.Answered(http.StatusForbidden)
	v.Open("/page")
	v.Send(http.MethodPost, "/echo", map[string]int{"item": 7})
	checkEchoed(t, v, echoed{url.Values{}, "application/json"})
	v.Send(http.MethodPost, "/echo", url.Values{"a": {"1"}}) // the token lasts
	checkEchoed(t, v, echoed{url.Values{"a": {"1"}}, "application/x-www-form-urlencoded"})
	v.Send(http.MethodPost, "/echo", nil)
	checkEchoed(t, v, echoed{Form: url.Values{}})
	v.Token = "forged"
	v.Send(http.MethodPost, "/echo", nil)
	v.Answered(http.StatusForbidden)
}

func TestVisitorsShareTheSiteAndNoCookies(t *testing.T) {
	t.Parallel()
	site := newSite()
	one, two := sandboxtest.Visit(t, site), sandboxtest.Visit(t, site)
	one.Open("/page")
	one.Sees("guest-1")
	two.Open("/page")
	two.Sees("guest-2")
	window := *one
	window.Open("/page")
	window.Sees("guest-1")
}

// failures takes the place of a test that fails.
type failures struct {
	testing.TB
	texts []string
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) {
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

func (f *failures) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

func TestChecksFail(t *testing.T) {
	t.Parallel()
	for want, check := range map[string]func(*sandboxtest.Visitor){
		`/page (200) does not show "Coffee"`:   func(v *sandboxtest.Visitor) { v.Sees("Tea", "Coffee") },
		`/page (200) shows "cake"`:             func(v *sandboxtest.Visitor) { v.SeesNot("Coffee", "cake") },
		`/page: status 200, want 404`:          func(v *sandboxtest.Visitor) { v.Answered(http.StatusNotFound, "Tea") },
		`at /page (200), want /echo`:           func(v *sandboxtest.Visitor) { v.At("/echo") },
		`/page (200) has no form for /nowhere`: func(v *sandboxtest.Visitor) { v.Submit("/nowhere", nil) },
		`/page (200): invalid character`:       func(v *sandboxtest.Visitor) { v.Decode(&echoed{}) },
	} {
		v := sandboxtest.Visit(t, newSite())
		v.Open("/page")
		failed := &failures{TB: t}
		v.T = failed
		done := make(chan struct{})
		go func() {
			defer close(done)
			check(v)
		}()
		<-done
		if len(failed.texts) != 1 || !strings.HasPrefix(failed.texts[0], want) {
			t.Errorf("failures %q, want one of %q", failed.texts, want)
		}
	}
}
