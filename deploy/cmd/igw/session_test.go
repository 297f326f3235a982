package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
)

func openSession() audit.Session {
	expires := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	return audit.Session{
		SessionID: "s1", Integration: "marketplace", Site: "sandbox", CommandID: "c1", CallerID: "caller-1", AccountID: "a1",
		State: "open", OpenedAt: expires.Add(-time.Hour), Expires: &expires, Attached: 3, Clients: 2,
	}
}

func closedSession() audit.Session {
	s := openSession()
	s.State, s.Clients, s.Reason, s.ClosedAt = "closed", 0, "stopped", s.Expires
	return s
}

func TestSessionsAreListedWithWhoIsConnected(t *testing.T) {
	t.Parallel()
	closed := closedSession()
	closed.SessionID = "s2\x1b[31m"
	e := newEdge(t, func(req, res any) error {
		switch part := res.(*audit.Sessions); req.(*audit.ListSessionsRequest).After {
		case "":
			*part = audit.Sessions{Sessions: []audit.Session{openSession()}, Next: "s1"}
		default:
			*part = audit.Sessions{Sessions: []audit.Session{closed}}
		}
		return nil
	})
	line := "session list --integration marketplace --caller caller-1 --account a1 --state open --limit 7"
	got := e.igw(t, "", nil, strings.Fields(line)...)
	if got.code != exitOK || strings.Contains(got.stdout, "\x1b") {
		t.Fatalf("got %+v", got)
	}
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "SESSION ") || !strings.HasSuffix(strings.TrimSpace(lines[1]), "open    2") ||
		!strings.HasSuffix(lines[2], "stopped") {
		t.Errorf("got\n%s", got.stdout)
	}
	want := []any{
		&audit.ListSessionsRequest{Integration: "marketplace", CallerID: "caller-1", AccountID: "a1", State: "open", Limit: 7},
		&audit.ListSessionsRequest{Integration: "marketplace", CallerID: "caller-1", AccountID: "a1", State: "open", Limit: 6, After: "s1"},
	}
	if diff := cmp.Diff(want, e.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	var listed []audit.Session
	got = e.igw(t, "", nil, "session", "list", "--json", "--limit", "0")
	if err := json.Unmarshal([]byte(got.stdout), &listed); err != nil || len(listed) != 2 {
		t.Errorf("got %d sessions, %v", len(listed), err)
	}
	if got := e.igw(t, "", nil, "session", "list", "--state", "ajar"); got.code != exitUsage || !strings.Contains(got.stderr, "closed") {
		t.Errorf("a state that there is not: got %+v", got)
	}
}

func TestNoSessionsAreAnEmptyList(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(_, res any) error {
		*res.(*audit.Sessions) = audit.Sessions{Sessions: []audit.Session{}}
		return nil
	})
	if got := e.igw(t, "", nil, "session", "list", "--json"); got.stdout != "[]\n" {
		t.Errorf("got %+v", got)
	}
}

func TestSessionIsShownAndStopped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verb   string
		answer audit.Session
		want   []string
		not    []string
		stderr string
	}{
		"shown":                   {"show", openSession(), []string{"marketplace", "sandbox", "caller-1", "ends by", "clients           2", "connected so far  3"}, []string{"ended", "why"}, ""},
		"shown after its end":     {"show", closedSession(), []string{"closed", "stopped", "ended"}, []string{"clients "}, ""},
		"stopped":                 {"stop", closedSession(), []string{"closed", "stopped"}, nil, ""},
		"stopped, held by nobody": {"stop", openSession(), []string{"open"}, nil, "No process holds its browser"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEdge(t, func(_, res any) error {
				*res.(*audit.Session) = c.answer
				return nil
			})
			got := e.igw(t, "", nil, "session", c.verb, "s1")
			if got.code != exitOK || (c.stderr == "") != (got.stderr == "") || !strings.Contains(got.stderr, c.stderr) {
				t.Fatalf("got %+v", got)
			}
			for _, text := range c.want {
				if !strings.Contains(got.stdout, text) {
					t.Errorf("%q is missing in\n%s", text, got.stdout)
				}
			}
			for _, text := range c.not {
				if strings.Contains(got.stdout, text) {
					t.Errorf("%q is in\n%s", text, got.stdout)
				}
			}
			if diff := cmp.Diff([]any{&audit.SessionRequest{SessionID: "s1"}}, e.requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			var shown audit.Session
			got = e.igw(t, "", nil, "session", c.verb, "s1", "--json")
			if err := json.Unmarshal([]byte(got.stdout), &shown); err != nil || !cmp.Equal(shown, c.answer) {
				t.Errorf("got %+v, %v", shown, err)
			}
		})
	}
}

func TestSessionThatIsNotThereIsSaidSo(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(_, _ any) error { return contracts.Errorf(contracts.NotFound, "there is no such session") })
	for _, verb := range []string{"show", "stop"} {
		if got := e.igw(t, "", nil, "session", verb, "s1"); got.code != exitFailed || got.stderr != "igw: there is no such session\n" {
			t.Errorf("got %+v", got)
		}
	}
}
