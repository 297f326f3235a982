package flow_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"integration.gateway/pkg/flow"
)

// fetching is a flow that opens a page and extracts with these parameters.
func fetching(parameters string) string {
	return "  - {type: navigate, url: /page}\n  - {type: customStep, name: extract, timeout: 1000, parameters: {" + parameters + "}}\n"
}

// api is a shop whose page has an API behind it.
func api(t *testing.T, steps string, answer http.HandlerFunc) *shop {
	t.Helper()
	site, files := one(steps)
	s := newShop(t, site, files, map[string]string{"/page": "here"})
	s.mux.HandleFunc("/api", answer)
	return s
}

func text(w http.ResponseWriter, body string) { _, _ = fmt.Fprint(w, body) }

func TestFetchAsksUntilEveryRequiredFieldIsThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parameters string
		answers    []string // the last one again and again
		want       string   // the result, or with ! a part of the failure
	}{
		"a field": {
			`within: 5000, fetch: {url: /api}, fields: {id: "$.id"}`,
			[]string{`{"id": null}`, `{}`, `{"id": 7}`},
			`{"result":{"id":7}}`,
		},
		"a field of every row": {
			`within: 5000, fetch: {url: /api}, into: rows, each: "$.rows[*]", fields: {id: "$.id"}`,
			[]string{`{"rows": []}`, `{"rows": [{"id": 1}, {}]}`, `{"rows": [{"id": 1}, {"id": 2}]}`},
			`{"result":[{"id":1},{"id":2}]}`,
		},
		"no row after all": {
			`within: 400, fetch: {url: /api}, into: rows, each: "$.rows[*]", fields: {id: "$.id"}`,
			[]string{`{"rows": []}`},
			`{"result":[]}`,
		},
		"never": {
			`within: 400, fetch: {url: /api}, fields: {id: "$.id"}`,
			[]string{`{"id": ""}`},
			`!required field id (selector $.id) is missing`,
		},
		"once, where it does not say within": {
			`fetch: {url: /api}, fields: {id: "$.id"}`,
			[]string{`{}`, `{"id": 7}`},
			`!required field id (selector $.id) is missing`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := strings.Replace(fetching(c.parameters), "name: extract", "name: remember", 1)
			kept := "vars.id"
			if strings.Contains(c.parameters, "into") {
				kept = "vars.rows"
			}
			field := `result: {value: "{{ ` + kept + ` }}"}`
			if kept == "vars.id" {
				field = `result: {fields: {id: {value: "{{ vars.id }}"}}}`
			}
			var asked atomic.Int32
			s := api(t, steps+"  - {type: customStep, name: extract, parameters: {fields: {"+field+"}}}\n", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Cache-Control", "max-age=60") // which must not keep the next try from the application
				text(w, c.answers[min(int(asked.Add(1)), len(c.answers))-1])
			})
			result, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
			if part, fails := strings.CutPrefix(c.want, "!"); fails {
				var f *flow.Failure
				if !errors.As(err, &f) || !strings.Contains(err.Error(), part) || f.Missing != "id" {
					t.Errorf("got %s, %+v", result, err)
				}
			} else if err != nil || result != c.want {
				t.Errorf("got %s, %v after %d requests", result, err, asked.Load())
			}
			if n := int(asked.Load()); strings.Contains(c.parameters, "5000") && n != len(c.answers) || strings.Contains(name, "once") && n != 1 {
				t.Errorf("it asked %d times", n)
			}
		})
	}
}

func TestFetchIsBounded(t *testing.T) {
	t.Parallel()
	t.Run("in time", func(t *testing.T) {
		t.Parallel()
		s := api(t, fetching(`fetch: {url: /api}, fields: {a: "$.a"}`), func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush() // the headers come, the body never does
			<-r.Context().Done()
		})
		started := time.Now()
		_, trace, err := s.play(s.load(nil), flow.Job{Operation: "op"})
		var f *flow.Failure
		if !errors.As(err, &f) || f.Outcome != flow.Unavailable || !strings.Contains(err.Error(), "no answer came within 1s") || trace.Unclean != nil {
			t.Errorf("%v, %v", err, trace.Unclean)
		}
		if took := time.Since(started); took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
	})
	t.Run("in size", func(t *testing.T) {
		t.Parallel()
		for size, fits := range map[int]bool{15 << 20: true, 17 << 20: false} {
			text := map[bool]string{true: "abcd", false: `é\"`}[fits]                                        // four bytes; the second are fewer characters, and more of JSON
			steps := strings.Replace(fetching(`fetch: {url: /api}, fields: {a: "$.a"}`), "1000", "90000", 1) // longer than a busy machine takes for so much
			s := api(t, steps, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = fmt.Fprintf(w, `{"a": 1, "b": "%s"}`, strings.Repeat(text, size/4))
			})
			result, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
			if fits && (err != nil || result != `{"a":1}`) || !fits && (err == nil || !strings.Contains(err.Error(), "the answer is larger than 16 MiB")) {
				t.Errorf("%d bytes: %s, %v", size, result, err)
			}
		}
	})
	t.Run("in what its paths go through", func(t *testing.T) {
		t.Parallel()
		s := api(t, fetching(`fetch: {url: /api}, into: rows, each: "$..*..*..*..*..*..*", fields: {a: "$.a"}`), func(w http.ResponseWriter, _ *http.Request) {
			text(w, strings.Repeat("[", 200)+strings.Repeat("]", 200))
		})
		_, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
		if err == nil || !strings.Contains(err.Error(), "the paths take too long") {
			t.Errorf("got %v", err)
		}
	})
}

// A fetch to another of the site's origins takes that origin's cookies along.
// Servers that let any origin ask are refused by browsers with cookies: a
// request that changes nothing is made once more without.
func TestFetchOfAnotherOriginGoesWithoutCookiesWhereItMust(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fetch, allow string
		want         string
		requests     int32
	}{
		"with cookies":             {`url: "{{ site.other }}/api"`, "BASE", `{"a":"sid=42"}`, 1},
		"any origin":               {`url: "{{ site.other }}/api"`, "*", `{"a":"none"}`, 2},
		"no origin":                {`url: "{{ site.other }}/api"`, "", "!the browser refused the request (CORS", 2},
		"a POST is not made twice": {`url: "{{ site.other }}/api", form: {a: b}`, "*", "!the browser refused the request (CORS", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			site, files := one(fetching(`fetch: {` + c.fetch + `}, fields: {a: {selector: "$.cookie", default: none}}`))
			s := newShop(t, site, files, map[string]string{"/page": `<script>document.cookie = "sid=42"</script>`})
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // another port: another origin, the same cookies
				requests.Add(1)
				if c.allow != "" {
					w.Header().Set("Access-Control-Allow-Origin", strings.Replace(c.allow, "BASE", s.url, 1))
				}
				w.Header().Set("Access-Control-Allow-Credentials", "true")
				text(w, fmt.Sprintf(`{"cookie": %q}`, r.Header.Get("Cookie")))
			}))
			t.Cleanup(other.Close)
			s.files["site.yaml"].Data = fmt.Appendf(s.files["site.yaml"].Data, "origins: [%[1]s]\ndefaults: {other: \"%[1]s\"}\n", other.URL)
			result, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
			if part, fails := strings.CutPrefix(c.want, "!"); fails && (err == nil || !strings.Contains(err.Error(), part)) || !fails && (err != nil || result != c.want) {
				t.Errorf("got %s, %v", result, err)
			}
			if requests.Load() != c.requests {
				t.Errorf("%d requests", requests.Load())
			}
		})
	}
}

// A session that has ended shows as an error of the API, or as the sign-in
// page: then the account is signed in again, and the flow starts anew.
func TestFetchThatFailsAsksForTheProofOfBeingSignedIn(t *testing.T) {
	t.Parallel()
	broken := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		ends    bool // the session, with the first request
		want    string
		outcome flow.Outcome
		signIns int32
	}{
		"a broken application is unavailable": {broken, false, "answered with the status 502", flow.Unavailable, 1},
		"a session that has ended is renewed": {broken, true, "", "", 2},
		"a sign-in page is no answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			text(w, "<form id=login>")
		}, true, "", "", 2},
		"a status of its own": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, false, "", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMembers(t)
			m.files["op.yaml"].Data = []byte("steps:\n  - {type: customStep, name: extract, parameters: {fetch: {url: /api}, fields: {a: \"$.a\"}}}\n")
			m.serve("/page", "here")
			var asked atomic.Int32
			m.mux.HandleFunc("/api", func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) > 1 {
					text(w, `{"a": 1}`)
					return
				}
				if c.ends {
					http.SetCookie(w, &http.Cookie{Name: "session", Path: "/", MaxAge: -1})
				}
				c.answer(w, r)
			})
			job, _ := m.job("correct horse")
			site := m.load(nil)
			m.page = newPage(t, m.ctx)
			if _, err := site.SignIn(m.ctx, m.page, job.Account); err != nil {
				t.Fatal(err)
			}
			result, _, err := m.play(site, job)
			var f *flow.Failure
			if c.want == "" && (err != nil || result != `{"a":1}`) || c.want != "" && (!errors.As(err, &f) || !strings.Contains(err.Error(), c.want) || f.Outcome != c.outcome) {
				t.Errorf("got %s, %+v", result, err)
			}
			if n := m.signIns.Load(); n != c.signIns {
				t.Errorf("%d sign-ins", n)
			}
		})
	}
}

func TestEffectOfAFetch(t *testing.T) {
	t.Parallel()
	const order = `  - {type: navigate, url: /page}
  - {type: customStep, name: effect, parameters: {kind: order}}
  - {type: customStep, name: extract, timeout: 1000, parameters: {fetch: {url: /api, body: {sku: "{{ sku }}"}, errors: [{path: "$.refused", outcome: rejected}]}, fields: {id: "$.id"}}}
`
	for name, c := range map[string]struct {
		status  int
		answer  string
		want    string // the failure's text
		refusal bool
	}{
		"is done":                                         {201, `{"id": 7}`, "", false},
		"is refused in the application's words":           {422, `{"refused": "sold out"}`, "sold out", true},
		"is in doubt after an error":                      {500, `{}`, "status 500", false},
		"is in doubt after a status of being signed out":  {401, `{"refused": "x"}`, "status 401", false},
		"is in doubt where nothing is known":              {404, ``, "status 404", false},
		"is in doubt when the answer lacks what it needs": {200, `{}`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			s := api(t, order, func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.WriteHeader(c.status)
				text(w, c.answer)
			})
			w := &watchman{started: nothing, act: nothing}
			result, _, err := s.play(s.load(nil), flow.Job{Operation: "op", Request: map[string]any{"sku": "A"}, Effect: w})
			var f *flow.Failure
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &f) || !strings.Contains(err.Error(), c.want) || f.Refusal() != c.refusal || !f.EffectStarted || f.NotActed) {
				t.Errorf("got %s, %+v", result, err)
			}
			if asked.Load() != 1 || w.asked.Load() != 1 {
				t.Errorf("asked %d times, with leave %d times", asked.Load(), w.asked.Load())
			}
		})
	}
	t.Run("is not begun without what it sends", func(t *testing.T) {
		t.Parallel()
		s := api(t, strings.Replace(order, "{{ sku }}", "{{ localStorage.token }}", 1), func(http.ResponseWriter, *http.Request) {})
		w := &watchman{started: func() error { t.Error("it was begun"); return nil }, act: nothing}
		_, _, err := s.play(s.load(nil), flow.Job{Operation: "op", Effect: w})
		var f *flow.Failure
		if !errors.As(err, &f) || f.EffectStarted {
			t.Errorf("got %+v", err)
		}
	})
}

func TestActIsARequestThatIsMadeOnce(t *testing.T) {
	t.Parallel()
	for parameters, fits := range map[string]bool{
		`fetch: {url: /x, method: POST}, fields: {a: {const: 1}}`:              true,
		`fetch: {url: /x, form: {a: b}}, fields: {a: {const: 1}}`:              true,
		`fetch: {url: /x}, fields: {a: {const: 1}}`:                            false,
		`fetch: {url: /x, method: HEAD}, fields: {a: {const: 1}}`:              false,
		`fetch: {url: /x, method: POST}, within: 500, fields: {a: {const: 1}}`: false,
		`fields: {a: {const: 1}}`:                                              false,
	} {
		site, files := one("  - {type: customStep, name: effect, parameters: {kind: order}}\n  - {type: customStep, name: remember, parameters: {" + parameters + "}}\n")
		s := newShop(t, site, files, nil)
		_, err := flow.Load(s.files, nil)
		if fits != (err == nil) || !fits && !strings.Contains(err.Error(), "the step after effect must be the one that acts") {
			t.Errorf("%s: %v", parameters, err)
		}
	}
}

// What a request took from the page's storage is told to nobody, not even when
// the application repeats it.
func TestFetchTellsNoToken(t *testing.T) {
	t.Parallel()
	site, files := one(fetching(`fetch: {url: "/api?t={{ localStorage.token }}", errors: [{path: "$.error", outcome: rejected}]}, fields: {a: "$.a"}`))
	s := newShop(t, site, files, map[string]string{"/page": `<script>localStorage.token = "very-secret"</script>`})
	s.mux.HandleFunc("/api", func(w http.ResponseWriter, r *http.Request) {
		text(w, fmt.Sprintf(`{"error": "bad token %s"}`, r.FormValue("t")))
	})
	_, trace, err := s.play(s.load(nil), flow.Job{Operation: "op"})
	if err == nil || !strings.Contains(err.Error(), "bad token …") || strings.Contains(fmt.Sprintf("%+v %+v", err, trace), "very-secret") {
		t.Errorf("got %v", err)
	}
}
