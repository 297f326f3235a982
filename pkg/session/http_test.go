package session_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"integration.gateway/contracts/event"
	"integration.gateway/contracts/sessions"
)

// send sends a request for the session, and returns the status and the body.
func (o *opened) send(method, path, ticket string) (int, string) {
	o.Helper()
	holder, err := o.ask("")
	o.must(err)
	return o.sendTo(holder.URL, method, path, ticket)
}

func (o *opened) sendTo(base, method, path, ticket string) (int, string) {
	o.Helper()
	r, err := http.NewRequestWithContext(o.Context(), method, base+sessions.Path(o.id)+path, nil)
	o.must(err)
	if ticket != "" {
		r.Header.Set("Authorization", "Bearer "+ticket)
	}
	answer, err := http.DefaultClient.Do(r)
	o.must(err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	o.must(err)
	return answer.StatusCode, string(body)
}

// ticket is that of an address.
func ticket(address string) string {
	_, secret, _ := strings.Cut(address, "igw_st_")
	return "igw_st_" + secret
}

func TestASessionIsReachedWithATicketOnly(t *testing.T) {
	t.Parallel()
	k := newHouse(t).keeper(defaults)
	s, other := k.open("caller", "anna"), k.open("caller", "bert")
	control, wrong := ticket(s.WSURL), ticket(other.WSURL)
	if ticket(s.DebuggerFullscreenURL) == control || len(control) != len("igw_st_")+43 {
		t.Errorf("the tickets are %s and %s", control, s.DebuggerFullscreenURL)
	}

	code, body := s.send("POST", sessions.ViewPath, control)
	var link sessions.Link
	if err := json.Unmarshal([]byte(body), &link); code != 200 || err != nil || !strings.Contains(link.URL, sessions.Path(s.id)+sessions.LivePath+"#igw_st_") {
		t.Fatalf("%d %s", code, body)
	}
	view := ticket(link.URL)
	for _, try := range []struct {
		method, path, ticket string
		code                 int
		says                 string
	}{
		{"GET", sessions.StatusPath, control, 200, `"purpose":"control"`},
		{"GET", sessions.StatusPath, view, 200, `"purpose":"view"`},
		{"GET", sessions.StatusPath, wrong, 404, "no such session"},
		{"GET", sessions.StatusPath, "", 404, "no such session"},
		{"POST", sessions.ViewPath, view, 403, "to look only"},
		{"POST", sessions.StopPath, view, 403, "to look only"},
		{"POST", sessions.StopPath, wrong, 404, "no such session"},
		{"GET", sessions.BrowserPath + wrong, "", 404, "no such session"},
		{"GET", sessions.BrowserPath + control, "", 426, "WebSocket"},
		{"GET", sessions.LivePath, "", 200, "<html"},
	} {
		if code, body := s.send(try.method, try.path, try.ticket); code != try.code || !strings.Contains(body, try.says) {
			t.Errorf("%s %s: %d %s", try.method, try.path, code, body)
		}
	}
	if n := len(s.told()); n != 1 {
		t.Errorf("%d events after requests that attach nobody", n)
	}

	holder, err := s.ask("")
	k.must(err)
	if code, body := s.send("POST", sessions.StopPath, control); code != 204 {
		t.Errorf("%d %s", code, body)
	}
	if why := s.closed(); why != event.SessionReleased {
		t.Errorf("it was %s", why)
	}
	for _, dead := range []string{control, view} {
		if code, body := s.sendTo(holder.URL, "GET", sessions.StatusPath, dead); code != 404 || !strings.Contains(body, "no such session") {
			t.Errorf("%d %s", code, body)
		}
	}
	if code, _ := other.send("GET", sessions.StatusPath, wrong); code != 200 {
		t.Errorf("the other session answers %d", code)
	}
}

// Who looks on takes no place from who controls the session.
func TestThereIsRoomForAControllerBesideAllViewers(t *testing.T) {
	t.Parallel()
	s := newHouse(t).keeper(defaults).open("caller", "anna")
	_, body := s.send("POST", sessions.ViewPath, ticket(s.WSURL))
	var link sessions.Link
	s.must(json.Unmarshal([]byte(body), &link))
	view := strings.ReplaceAll(s.WSURL, ticket(s.WSURL), ticket(link.URL))
	for range 16 {
		s.connect(view)
	}
	if _, answer, err := websocket.Dial(t.Context(), view, nil); err == nil || answer.StatusCode != http.StatusServiceUnavailable { //nolint:bodyclose // the library's
		t.Errorf("one viewer too many: %v", err)
	}
	if name := s.connect(s.WSURL).name(); name != "anna" {
		t.Errorf("the controller sees %q", name)
	}
}

func TestClientsOfASessionAreToldOf(t *testing.T) {
	t.Parallel()
	k := newHouse(t).keeper(defaults)
	s := k.open("caller", "anna")
	_, body := s.send("POST", sessions.ViewPath, ticket(s.WSURL))
	var link sessions.Link
	k.must(json.Unmarshal([]byte(body), &link))
	driver := s.connect(s.WSURL)
	watcher := s.connect(strings.ReplaceAll(s.WSURL, ticket(s.WSURL), ticket(link.URL)))
	var status sessions.Status
	_, body = s.send("GET", sessions.StatusPath, ticket(s.WSURL))
	k.must(json.Unmarshal([]byte(body), &status))
	if len(status.Clients) != 2 || status.Clients[0].Purpose != "control" || status.Clients[1].Purpose != "view" || !status.Expires.After(status.Now) {
		t.Errorf("%+v", status)
	}
	k.must(driver.conn.CloseNow())
	k.must(watcher.conn.CloseNow())
	eventually(t, "what it has changed to be kept", func() bool { return k.kept.Load() == 1 })
	eventually(t, "all to be recorded", func() bool { return len(s.told()) >= 5 })
	var purposes []string
	for _, e := range s.told() {
		switch e.Type {
		case event.TypeSessionAttached:
			p, err := event.PayloadOf[event.SessionAttached](e)
			k.must(err)
			purposes = append(purposes, "+"+string(p.Purpose))
		case event.TypeSessionDetached:
			p, err := event.PayloadOf[event.SessionDetached](e)
			k.must(err)
			if p.Seconds <= 0 {
				t.Errorf("%+v", p)
			}
		}
	}
	if got := strings.Join(purposes, " "); got != "+control +view" {
		t.Error(got)
	}
}

func TestSessionsAtOnceAreApart(t *testing.T) {
	t.Parallel()
	k := newHouse(t).keeper(defaults)
	type found struct{ want, got string }
	results := make(chan found, defaults.Max)
	var all []*opened
	for n := range defaults.Max {
		s := k.open("caller", "user-"+string(rune('a'+n)))
		all = append(all, s)
	}
	for n, s := range all {
		go func() { results <- found{"user-" + string(rune('a'+n)), s.connect(s.WSURL).name()} }()
	}
	for range all {
		if f := <-results; f.got != f.want {
			t.Errorf("%s sees %s", f.want, f.got)
		}
	}
	k.close() // which asserts that nothing is left
	for _, s := range all {
		if why := s.closed(); why != event.SessionShutdown {
			t.Errorf("it was %s", why)
		}
	}
}

// A client that comes and goes all the time would fill the event log.
func TestClientsConnectSoOftenAndNoMore(t *testing.T) {
	t.Parallel()
	s := newHouse(t).keeper(defaults).open("caller", "anna")
	holder, err := s.ask("")
	s.must(err)
	connect := func() int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, holder.URL+sessions.Path(s.id)+sessions.BrowserPath+ticket(s.WSURL), nil)
		s.must(err)
		r.Header.Set("Upgrade", "websocket") // and nothing else that makes it one
		answer, err := http.DefaultClient.Do(r)
		s.must(err)
		_, err = io.Copy(io.Discard, answer.Body) // or the next request would need a connection of its own
		s.must(err)
		s.must(answer.Body.Close())
		return answer.StatusCode
	}
	const most = 1000
	for n := range most {
		if code := connect(); code == http.StatusServiceUnavailable {
			t.Fatalf("refused after %d", n)
		}
	}
	if code := connect(); code != http.StatusServiceUnavailable {
		t.Errorf("one more than may be is answered %d", code)
	}
	if code, _ := s.send("GET", sessions.StatusPath, ticket(s.WSURL)); code != http.StatusOK {
		t.Errorf("the session itself answers %d", code)
	}
}
