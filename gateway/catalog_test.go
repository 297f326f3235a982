package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
)

func TestEveryRouteReachesItsSubjectAndReturnsItsResult(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	for _, entry := range everything() {
		t.Run(entry.Info().ID(), func(t *testing.T) {
			req, res := entry.New()
			contracts.FillExample(req)
			contracts.FillExample(res)
			a := send(t, e.exampleRequest(t, entry.Info(), req))
			if a.StatusCode != http.StatusOK {
				t.Fatalf("status %d: %s", a.StatusCode, a.body)
			}
			if diff := cmp.Diff(generic(t, asJSON(t, res)), generic(t, a.body)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			msgs := services.take(t)
			if len(msgs) != 1 || msgs[0].Subject != entry.Info().Subject() {
				t.Fatalf("%d messages were sent, want one on %s", len(msgs), entry.Info().Subject())
			}
			if diff := cmp.Diff(generic(t, asJSON(t, req)), generic(t, string(msgs[0].Data))); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if got, want := msgs[0].Header.Get("Command-Id"), a.Header.Get("Command-Id"); got != want {
				t.Errorf("the service saw the command %q, the caller %q", got, want)
			}
			caller, account := "caller-1", "account-1"
			if entry.Info().Access == contracts.AdminToken {
				caller, account = "admin", ""
			}
			if h := msgs[0].Header; h.Get("Caller-Id") != caller || h.Get("Account-Id") != account {
				t.Errorf("identity %v", h)
			}
		})
	}
}

// exampleRequest is the HTTP form of a request: path parameters, body, and
// all other fields as query parameters.
func (e *edge) exampleRequest(t *testing.T, op contracts.Info, req any) *http.Request {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(asJSON(t, req)), &fields); err != nil {
		t.Fatal(err)
	}
	path, query, body := op.Path, url.Values{}, ""
	for name, raw := range fields {
		text := strings.Trim(string(raw), `"[]`)
		switch {
		case name == "body":
			body = string(raw)
		case strings.Contains(path, "{"+name+"}"):
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(text))
		default:
			query.Set(name, text)
		}
	}
	r := e.request(t, op.Method, path+"?"+query.Encode(), body)
	if op.Access == contracts.AdminToken {
		r.Header.Set("Authorization", "Bearer "+adminToken)
		r.Header.Del("X-Account-Token")
	}
	return r
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func generic(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(fmt.Errorf("%w: %s", err, text))
	}
	return v
}
