package probe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow/probe"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// look probes a page of a site that answers with JSON at /api.
func look(t *testing.T, body, answer string) *probe.Report {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Orders</title>", body)
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	pool, err := browser.Open(ctx, browser.Config{Path: testenv.Chromium(t), Reserve: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close(context.WithoutCancel(ctx)) })
	page, err := pool.Acquire(ctx, browser.Tenant{Account: "anna", Origins: []string{server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	defer page.Release(false)
	report, err := probe.Page(ctx, page.Rod(), server.URL+"/page?sort=date&token=s3cr3t", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	report.Address = strings.ReplaceAll(report.Address, server.URL, "")
	for i := range report.Requests {
		report.Requests[i].Address = strings.ReplaceAll(report.Requests[i].Address, server.URL, "")
	}
	return report
}

const asking = `<script>
	document.cookie = 'sid=s3cr3t';
	fetch('/api/orders?page=1&csrf_token=s3cr3t', {method: 'POST', headers: {'Content-Type': 'application/json', 'X-CSRF-Token': 's3cr3t', 'X-Shop': 'main', Authorization: 'Bearer s3cr3t'},
		body: JSON.stringify({query: {from: '2026-01-01'}, user: {password: 's3cr3t'}, tokens: ['s3cr3t'], session: {id: 's3cr3t'}})});
	fetch('/api/form', {method: 'POST', body: new URLSearchParams({name: 'Jane', password: 's3cr3t'})});
</script>`

func TestTheJSONBehindAPageIsShownWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	answer := `{"orders": [{"id": 7, "total": null, "lines": [{"sku": "A"}]}, {"id": 8, "total": 9.50, "odd name": true}], "accessToken": "s3cr3t", "session": {"user": "s3cr3t"}, "next": "eyJhbGciOiJIUzI1NiJ9.s3cr3t.x"}`
	report := look(t, asking, answer)
	values := []probe.Value{
		{Path: "$.accessToken", Kind: "text", Sample: "(redacted)"},
		{Path: "$.next", Kind: "text", Sample: "(redacted)"},
		{Path: "$.orders", Kind: "list", Sample: "2 items"},
		{Path: "$.orders[*].id", Kind: "number", Sample: "7"},
		{Path: "$.orders[*].lines", Kind: "list", Sample: "1 items"},
		{Path: "$.orders[*].lines[*].sku", Kind: "text", Sample: "A"},
		{Path: "$.orders[*].total", Kind: "number", Sample: "9.50"},
		{Path: "$.orders[*]['odd name']", Kind: "boolean", Sample: "true"},
		{Path: "$.session.user", Kind: "text", Sample: "(redacted)"},
	}
	want := []probe.Request{
		{Method: "POST", Address: "/api/form", Status: 200, Body: "name=Jane&password=(redacted)", Answer: values},
		{
			Method: "POST", Address: "/api/orders?page=1&csrf_token=(redacted)", Status: 200,
			Headers: []probe.Header{{Name: "Authorization", Value: "(redacted)"}, {Name: "X-CSRF-Token", Value: "(redacted)"}, {Name: "X-Shop", Value: "main"}},
			Body:    `{"query":{"from":"2026-01-01"},"session":{"id":"(redacted)"},"tokens":["(redacted)"],"user":{"password":"(redacted)"}}`, Answer: values,
		},
	}
	slices.SortFunc(report.Requests, func(a, b probe.Request) int { return strings.Compare(a.Address, b.Address) })
	if diff := cmp.Diff(want, report.Requests); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text, err := json.Marshal(report)
	if err != nil || strings.Contains(string(text), "s3cr3t") {
		t.Errorf("%s %v", text, err)
	}
}

const rowsAndFields = `
<form><label>Words <input id=ember12 name=q></label><input id=ember13 type=password value=s3cr3t><button data-testid=go id=":r3:">Find</button><div role=button>Odd</div></form>
<main id=results data-cy=results>
	<div class="card css-1x2y3z" data-sku=A1 data-token=s3cr3t><a class=card-link href="/i/A1?token=s3cr3t"><img class=pic src=/a.png></a><b class=card-title>Kettle</b><i>$1</i></div>
	<div class="card css-1x2y3z" data-sku=B2 data-token=s3cr3t><a class=card-link href="/i/B2?token=s3cr3t"><img class=pic src=/b.png></a><b class=card-title>Pan</b><i>$2</i></div>
</main>
<table id=t><thead><tr><th>Order no.</th><th>Total</th></tr></thead><tbody><tr><td>17</td><td>$3</td></tr><tr><td>18</td><td>$4</td></tr></tbody></table>`

func TestWhatLastsOnAPageIsProposed(t *testing.T) {
	t.Parallel()
	got := look(t, rowsAndFields, "")
	want := &probe.Report{
		Address: "/page?sort=date&token=(redacted)", Title: "Orders", Requests: []probe.Request{},
		Controls: []probe.Element{
			{Kind: "input text", Label: "Words", Selectors: []string{`input[name="q"]`, "aria/Words"}},
			{Kind: "button", Label: "Find", Selectors: []string{`[data-testid="go"]`, "aria/Find"}},
			{Kind: "button", Label: "Odd", Selectors: []string{"aria/Odd"}},
		},
		Places: []probe.Element{
			{Kind: "main", Label: "Kettle$1 Pan$2", Selectors: []string{`[data-cy="results"]`, "#results"}},
			{Kind: "table", Label: "Order no. Total 17 $3 18 $4", Selectors: []string{"#t"}},
		},
		Groups: []probe.Group{
			{Each: ".card", Rows: 2, Fields: []probe.Field{
				{Name: "sku", Selector: "@data-sku", Sample: "A1"},
				{Name: "linkUrl", Selector: ".card-link", Attribute: "href", Sample: "/i/A1?token=(redacted)"},
				{Name: "picImageUrl", Selector: ".pic", Attribute: "src", Sample: "/a.png"},
				{Name: "title", Selector: ".card-title", Sample: "Kettle"},
				{Name: "i", Selector: "i", Sample: "$1"},
			}},
			{Each: "#t tbody > tr", Rows: 2, Fields: []probe.Field{
				{Name: "orderNo", Selector: "td:nth-child(1)", Sample: "17"},
				{Name: "total", Selector: "td:nth-child(2)", Sample: "$3"},
			}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const formAsATable = `
<a href=/login>Login</a>
<form><table><tbody>
	<tr><td>User:</td><td id=who>User ID:</td><td><input aria-labelledby=who name=u></td></tr>
	<tr><td>Type:</td><td>Of what?</td><td><select name=type><option>Wish</option></select></td></tr>
	<tr><td></td><td></td><td><input type=submit name=in value=Login></td></tr>
</tbody></table></form>
<table id=lines><tbody>
	<tr><td><a href=/t/1>First</a></td><td><input name=count1><button>Remove</button></td></tr>
	<tr><td><a href=/t/2>Second</a></td><td><input name=count2><button>Remove</button></td></tr>
</tbody></table>`

func TestAFormThatIsLaidOutAsATableIsStillAForm(t *testing.T) {
	t.Parallel()
	got := look(t, formAsATable, "")
	want := []probe.Element{
		{Kind: "a", Label: "Login", Selectors: []string{`aria/Login[role="link"]`}},
		{Kind: "input text", Label: "User ID:", Selectors: []string{`input[name="u"]`, "aria/User ID:"}},
		{Kind: "select", Selectors: []string{`select[name="type"]`}},
		{Kind: "input submit", Label: "Login", Selectors: []string{`input[name="in"]`, `aria/Login[role="button"]`}},
	}
	if diff := cmp.Diff(want, got.Controls); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	lines := slices.IndexFunc(got.Groups, func(g probe.Group) bool { return g.Each == "#lines tbody > tr" })
	if lines < 0 || !slices.Contains(got.Groups[lines].Fields, probe.Field{Name: "tdNthChild1AUrl", Selector: "td:nth-child(1) a", Attribute: "href", Sample: "/t/1"}) {
		t.Errorf("got %+v", got.Groups)
	}
}

func TestAnIDIsNotProposedForAFieldOfEachRow(t *testing.T) {
	t.Parallel()
	got := look(t, `<ul><li class=contact><b id=north>Ada</b></li><li class=contact><b id=south>Bob</b></li></ul>`, "")
	want := []probe.Group{{Each: ".contact", Rows: 2, Fields: []probe.Field{{Name: "b", Selector: "b", Sample: "Ada"}}}}
	if diff := cmp.Diff(want, got.Groups); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
