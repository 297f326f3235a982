package sandboxtest

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"integration.gateway/pkg/sandbox"
)

// Visitor is somebody at a stand-in. A copy of a visitor shares its cookies, as
// a second window of the browser does; a second visitor of the same stand-in
// shares nothing.
type Visitor struct {
	T      testing.TB   // the test that fails when a request or a check does
	URL    string       // of the stand-in, without a slash at its end
	Client *http.Client // has the cookies; for requests that no method here makes

	Page   string // the last answer as it came, a page or not
	Path   string // where that is, with its query and after all redirects
	Status int    // its status
	Token  string // the anti-forgery token that Send sends: of the last page that had one for its scripts
}

// Visit serves a stand-in until the test ends, to a new visitor alone.
func Visit(t testing.TB, site http.Handler) *Visitor {
	t.Helper()
	server := httptest.NewServer(site)
	t.Cleanup(server.Close) // the client's connections too
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := server.Client()
	client.Jar = jar
	return &Visitor{T: t, URL: server.URL, Client: client}
}

// Open goes to a path, and on to where it leads.
func (v *Visitor) Open(path string) {
	v.T.Helper()
	v.do(v.request(http.MethodGet, path, "", ""))
}

const formType = "application/x-www-form-urlencoded"

// Submit submits the page's form with this action: its hidden fields, with the
// anti-forgery token among them, and what is typed into it. A typed field
// replaces the hidden one of its name.
func (v *Visitor) Submit(action string, typed url.Values) {
	v.T.Helper()
	form := v.Form(action)
	maps.Copy(form, typed)
	v.do(v.request(http.MethodPost, action, formType, form.Encode()))
}

// Send sends what a script of the page may send, with the visitor's token: a
// form if the body is url.Values, nothing if it is nil, and JSON otherwise.
func (v *Visitor) Send(method, path string, body any) {
	v.T.Helper()
	kind, text := "", ""
	switch body := body.(type) {
	case nil:
	case url.Values:
		kind, text = formType, body.Encode()
	default:
		encoded, err := json.Marshal(body)
		if err != nil {
			v.T.Fatal(err)
		}
		kind, text = "application/json", string(encoded)
	}
	req := v.request(method, path, kind, text)
	req.Header.Set(sandbox.TokenHeader, v.Token)
	v.do(req)
}

func (v *Visitor) request(method, path, kind, body string) *http.Request {
	v.T.Helper()
	req, err := http.NewRequestWithContext(v.T.Context(), method, v.URL+path, strings.NewReader(body))
	if err != nil {
		v.T.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	return req
}

// do makes the answer to a request, and to those that it is redirected to, the
// visitor's last one.
func (v *Visitor) do(req *http.Request) {
	v.T.Helper()
	res, err := v.Client.Do(req)
	if err != nil {
		v.T.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		v.T.Fatal(err)
	}
	v.Page, v.Path, v.Status = string(content), res.Request.URL.RequestURI(), res.StatusCode
	if token := scriptToken.FindStringSubmatch(v.Page); token != nil {
		v.Token = token[1]
	}
}
