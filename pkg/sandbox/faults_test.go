package sandbox_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/sandbox"
)

// put switches faults on over HTTP.
func (s *site) put(t *testing.T, faults string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.url+"/_sandbox/faults", strings.NewReader(faults))
	if err != nil {
		t.Fatal(err)
	}
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

func (s *site) mustPut(t *testing.T, faults string) {
	t.Helper()
	if status, body := s.put(t, faults); status != http.StatusOK {
		t.Fatalf("put faults: status %d: %s", status, body)
	}
}

func TestFailingAnswersInTheSitesStead(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, token := s.page(t)
	s.mustPut(t, `{"failing": [{"method": "POST", "path": "/co*", "skip": 1, "times": 2, "status": 503}]}`)
	var got []int
	for range 4 {
		status, _ := s.do(t, http.MethodPost, "/count", url.Values{sandbox.TokenField: {token}})
		got = append(got, status)
	}
	if diff := cmp.Diff([]int{200, 503, 503, 200}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	if n := s.Traffic().Effects["count"]; n != 2 {
		t.Errorf("%d effects, want 2: a failing request must do nothing", n)
	}
	s.page(t)
}

func TestFailingAfterwardsHasItsEffect(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, token := s.page(t)
	s.mustPut(t, `{"failing": [{"path": "/count", "status": 500, "when": "after"}]}`)
	status, _ := s.do(t, http.MethodPost, "/count", url.Values{sandbox.TokenField: {token}})
	if n := s.Traffic().Effects["count"]; status != 500 || n != 1 {
		t.Errorf("status %d, %d effects; want 500, 1", status, n)
	}
}

func TestHangUpGivesNoAnswer(t *testing.T) {
	t.Parallel()
	for when, effects := range map[string]int{"before": 0, "after": 1} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			_, token := s.page(t)
			s.mustPut(t, `{"hangUp": [{"path": "/count", "when": "`+when+`"}]}`)
			form := strings.NewReader(url.Values{sandbox.TokenField: {token}}.Encode())
			res, err := s.client.Post(s.url+"/count", "application/x-www-form-urlencoded", form)
			if err == nil {
				_ = res.Body.Close()
			}
			if !errors.Is(err, io.EOF) {
				t.Errorf("got %v, want the connection cut off without an answer", err)
			}
			if n := s.Traffic().Effects["count"]; n != effects {
				t.Errorf("%d effects, want %d", n, effects)
			}
		})
	}
}

func TestSlowHoldsTheAnswerBack(t *testing.T) {
	t.Parallel()
	for when, effects := range map[string]int{"before": 0, "after": 1} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			_, token := s.page(t)
			s.mustPut(t, `{"slow": [{"path": "/count", "delayMs": 60000, "when": "`+when+`"}]}`)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			form := strings.NewReader(url.Values{sandbox.TokenField: {token}}.Encode())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/count", form)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if _, err := s.client.Do(req); !errors.Is(err, context.DeadlineExceeded) { //nolint:bodyclose // there is no answer
				t.Errorf("answered with %v, want none in time", err)
			}
			if n := s.Traffic().Effects["count"]; n != effects {
				t.Errorf("%d effects, want %d", n, effects)
			}
		})
	}
}

func TestSlowAnswersInTheEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mustPut(t, `{"slow": [{"path": "*", "delayMs": 60}]}`)
	begun := time.Now()
	s.page(t)
	if took := time.Since(begun); took < 60*time.Millisecond {
		t.Errorf("answered after %v, want 60ms or more", took)
	}
}

func TestSignedOutDropsTheSignInOfTheVisitor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other := &site{Kit: s.Kit, url: s.url, client: newClient(t)}
	s.signIn(t, "secret")
	other.signIn(t, "secret")
	s.mustPut(t, `{"signedOut": [{"path": "/page/*", "skip": 1, "times": 1}]}`)
	var got []string
	for range 3 {
		user, _ := s.page(t)
		got = append(got, user)
	}
	if diff := cmp.Diff([]string{"ann", "", ""}, got); diff != "" {
		t.Errorf("signed in as (-want +got):\n%s", diff)
	}
	if user, _ := other.page(t); user != "ann" {
		t.Error("another visitor was signed out too")
	}
}

func TestMarkupVariantsAreSwitchedAndCleared(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mustPut(t, `{"markup": ["new-ids"]}`)
	if !s.Markup("new-ids") {
		t.Error("the variant is not on")
	}
	if diff := cmp.Diff([]string{"new-ids"}, s.Traffic().Faults.Markup); diff != "" {
		t.Errorf("markup in the state (-want +got):\n%s", diff)
	}
	if status, _ := s.do(t, http.MethodDelete, "/_sandbox/faults", nil); status != http.StatusNoContent {
		t.Errorf("status %d, want 204", status)
	}
	if s.Markup("new-ids") {
		t.Error("the variant is still on")
	}
}

func TestBadFaultsAreRefusedAndChangeNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mustPut(t, `{"markup": ["new-ids"]}`)
	for name, faults := range map[string]string{
		"no JSON":           `slow`,
		"empty":             ``,
		"an array":          `[]`,
		"unknown field":     `{"fast": []}`,
		"unknown in a rule": `{"slow": [{"path": "/", "delayMs": 1, "seconds": 2}]}`,
		"two values":        `{} {}`,
		"wrong type":        `{"slow": [{"path": "/", "delayMs": "1"}]}`,
		"no delay":          `{"slow": [{"path": "/"}]}`,
		"too long a delay":  `{"slow": [{"path": "/", "delayMs": 60001}]}`,
		"no path":           `{"hangUp": [{}]}`,
		"relative path":     `{"hangUp": [{"path": "cart"}]}`,
		"long path":         `{"hangUp": [{"path": "/` + strings.Repeat("x", 200) + `"}]}`,
		"no status":         `{"failing": [{"path": "/"}]}`,
		"a good status":     `{"failing": [{"path": "/", "status": 200}]}`,
		"negative times":    `{"signedOut": [{"path": "/", "times": -1}]}`,
		"unknown moment":    `{"signedOut": [{"path": "/", "when": "later"}]}`,
		"unknown variant":   `{"markup": ["comic-sans"]}`,
		"too many rules":    `{"hangUp": [` + strings.Repeat(`{"path": "/"},`, 50) + `{"path": "/"}]}`,
		"not UTF-8":         "{\"markup\": [\"\xff\"]}",
	} {
		if status, body := s.put(t, faults); status != http.StatusBadRequest || !strings.Contains(body, `"error"`) {
			t.Errorf("%s: status %d, body %s; want 400 with an error", name, status, body)
		}
	}
	if !s.Markup("new-ids") {
		t.Error("refused faults replaced the ones before")
	}
}

func TestServerStopsWithItsContext(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Listen("127.0.0.1:0", http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- server.Run(ctx) }()
	res, err := newClient(t).Get(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	cancel()
	if err := <-stopped; err != nil {
		t.Errorf("stopped with %v", err)
	}
}

func TestServerRefusesWhatOthersCouldReach(t *testing.T) {
	t.Parallel()
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:80", "nonsense"} {
		if _, err := sandbox.Listen(address, http.NotFoundHandler()); err == nil {
			t.Errorf("listens at %q", address)
		}
	}
}

func TestServerListensToAllWhereItIsToldTo(t *testing.T) {
	t.Parallel()
	server, err := sandbox.ListenToAll(":0", http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(server.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- server.Run(ctx) }()
	res, err := newClient(t).Get("http://" + net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	cancel()
	if err := <-stopped; err != nil {
		t.Errorf("stopped with %v", err)
	}
	if _, err := sandbox.ListenToAll("nonsense", http.NotFoundHandler()); err == nil {
		t.Error("listens at nonsense")
	}
}

func TestPatternStarStandsForAnyText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"/a", "/a", true},
		{"/a", "/ab", false},
		{"*", "/a/b", true},
		{"/a*", "/a/b", true},
		{"/a*c", "/a/b/c", true},
		{"/a*b*", "/axxbyy", true},
		{"/ab*b", "/ab", false},
		{"/a*b*c", "/a/c", false},
	} {
		s := newSite(t)
		s.SetFaults(sandbox.Faults{Failing: []sandbox.Failing{{Rule: sandbox.Rule{Path: c.pattern}, Status: 418}}})
		recorder := httptest.NewRecorder()
		s.Handler(http.NewServeMux()).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, c.path, nil))
		if got := recorder.Code == 418; got != c.want {
			t.Errorf("%q matches %q: %v, want %v", c.pattern, c.path, got, c.want)
		}
	}
}

func FuzzDecodeFaults(f *testing.F) {
	f.Add(`{}`)
	f.Add(`{"slow": [{"path": "/a*", "delayMs": 5, "skip": 1, "times": 2, "when": "after"}]}`)
	f.Add(`{"failing": [{"method": "POST", "path": "*", "status": 500}], "hangUp": [{"path": "/"}]}`)
	f.Add(`{"signedOut": [{"path": "/"}], "markup": ["new-ids"]}`)
	f.Add(`{"slow": null} []`)
	f.Fuzz(func(t *testing.T, text string) {
		faults, err := sandbox.DecodeFaults(strings.NewReader(text), []string{"new-ids"})
		if err != nil {
			return
		}
		kit := sandbox.New(sandbox.Config{Name: "fuzzed"})
		for i := range faults.Slow { // what holds for a minute holds for a moment
			if d := faults.Slow[i].DelayMS; d < 1 || d > 60_000 {
				t.Fatalf("accepted a delay of %d ms", d)
			}
			faults.Slow[i].DelayMS = 1
		}
		faults.HangUp = nil // ends the handler by a panic, as it should
		kit.SetFaults(faults)
		recorder := httptest.NewRecorder()
		kit.Handler(http.NewServeMux()).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/a/b", nil))
		if recorder.Code < 400 || recorder.Code > 599 {
			t.Fatalf("a site without pages answered %d", recorder.Code)
		}
	})
}
