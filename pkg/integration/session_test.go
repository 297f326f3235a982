package integration

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/bus"
)

// createSession sends a command to create a session over the bus.
func (s *street) createSession(ctx context.Context, command string) (res contracts.Session, err error) {
	s.Helper()
	ctx = bus.WithIdentity(ctx, bus.Identity{CommandID: command, CallerID: "caller", AccountID: s.account})
	err = bus.Call(ctx, s.nc, marketplace.CreateSession.Info(), &contracts.CreateSessionRequest{}, &res)
	return res, err
}

// mustCreate creates a session, and returns its id with its addresses.
func (s *street) mustCreate() (id string, res contracts.Session) {
	s.Helper()
	res, err := s.createSession(s.Context(), uuid.NewString())
	s.must(err)
	_, rest, _ := strings.Cut(res.WSURL, "/sessions/")
	id, _, is := strings.Cut(rest, "/")
	if !is || res.Status != contracts.StatusOK || res.PostSignInURL != s.application.URL+"/account" {
		s.Fatalf("%+v", res)
	}
	return id, res
}

// stop ends a session.
func (s *street) stop(id string) error {
	s.Helper()
	text, err := json.Marshal(sessions.Ask{Stop: event.SessionReleased})
	s.must(err)
	_, err = s.nc.Request(sessions.Subject(id), text, sessions.AskTimeout)
	return err
}

// evaluate has a client of a session evaluate an expression in its page.
func (s *street) evaluate(address, expression string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 20*time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, address, nil) //nolint:bodyclose // the library needs no close
	s.must(err)
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(-1)
	id := 0
	call := func(session, method string, params map[string]any, result any) {
		id++
		s.must(wsjson.Write(ctx, conn, map[string]any{"id": id, "sessionId": session, "method": method, "params": params}))
		for {
			var answer struct {
				ID            int
				Result, Error json.RawMessage
			}
			s.must(wsjson.Read(ctx, conn, &answer))
			if answer.ID == id {
				if answer.Error != nil {
					s.Fatalf("%s: %s", method, answer.Error)
				}
				s.must(json.Unmarshal(answer.Result, result))
				return
			}
		}
	}
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	call("", "Target.getTargets", map[string]any{}, &targets)
	at := slices.IndexFunc(targets.TargetInfos, func(t struct{ TargetID, Type string }) bool { return t.Type == "page" })
	var attached struct{ SessionID string }
	call("", "Target.attachToTarget", map[string]any{"targetId": targets.TargetInfos[at].TargetID, "flatten": true}, &attached)
	call(attached.SessionID, "Runtime.evaluate", map[string]any{"expression": expression}, &struct{}{})
}

// openSessions is how many are registered.
func (o *office) openSessions() (n int) {
	o.Helper()
	o.must(o.pool.QueryRow(o.Context(), `SELECT count(*) FROM open_sessions`).Scan(&n))
	return n
}

func TestASessionIsSignedInByTheFlowAndThenRestored(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.process(0, nil)
	id, _ := s.mustCreate()
	s.expectSignIns(1)
	if _, err := s.vault.Get(t.Context(), s.account, stateName); err != nil {
		t.Errorf("should the browser die now, the sign-in is lost: %v", err)
	}
	s.must(s.stop(id))
	if got := types(s.story()); got != event.TypeAccountSignedIn {
		t.Errorf("the account's events are %s", got)
	}
	again, _ := s.mustCreate()
	s.expectSignIns(1)
	s.must(s.stop(again))
	if n := s.openSessions(); n != 0 {
		t.Errorf("%d sessions are open", n)
	}
}

func TestASessionThatTheApplicationRefusesHasNoAddress(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.link("wrong")
	s.process(0, nil)
	res, err := s.createSession(t.Context(), uuid.NewString())
	if err != nil || res != (contracts.Session{Status: contracts.StatusError}) {
		t.Errorf("%+v, %v", res, err)
	}
	if got := types(s.story()); got != event.TypeAccountNeedsSignIn {
		t.Errorf("the account's events are %s", got)
	}
	s.eventually("no session registered", func() bool { return s.openSessions() == 0 })
}

func TestASessionThatCannotBeOpenedIsOurFault(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	_, err := s.pool.Exec(t.Context(), `DELETE FROM secrets WHERE name = $1`, accounts.CredentialsName)
	s.must(err)
	s.process(0, nil)
	res, err := s.createSession(t.Context(), uuid.NewString())
	if e := contracts.AsError(err); err == nil || e.Kind.HTTPStatus() != 500 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestARepeatedRequestForASessionGetsTheSameOne(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.process(0, nil)
	command := uuid.NewString()
	first, err := s.createSession(t.Context(), command)
	s.must(err)
	again, err := s.createSession(t.Context(), command)
	if err != nil || again != first || first.WSURL == "" {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
	if n := s.openSessions(); n != 1 {
		t.Errorf("%d sessions are open", n)
	}
	for _, e := range s.told(command) {
		if strings.Contains(string(e.Data), "igw_st_") {
			t.Errorf("the log holds a ticket: %s", e.Data)
		}
	}
	_, rest, _ := strings.Cut(first.WSURL, "/sessions/")
	id, _, _ := strings.Cut(rest, "/")
	s.must(s.stop(id))
	over, err := s.createSession(t.Context(), command)
	if err != nil || over != first {
		t.Errorf("after its end: %+v, %v", over, err)
	}
	if err := s.stop(id); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("it is there again: %v", err)
	}
}

// The application lets nobody in any more whom it knew. A session signs in anew,
// and what operations have warm is older.
func TestOperationsGoOnFromWhatASessionLeaves(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.process(0, nil)
	_, _, err := s.order()
	s.must(err)
	s.expectSignIns(1)
	s.application.session.Store(2)
	id, res := s.mustCreate()
	s.expectSignIns(2)
	s.application.session.Store(3)
	s.evaluate(res.WSURL, `document.cookie = "session=3; path=/"`)
	s.must(s.stop(id))
	_, _, err = s.order()
	s.must(err)
	s.expectSignIns(2)
}

func TestASessionWhoseCallerHangsUpMeanwhileIsNotOpened(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.process(0, nil)
	id, _ := s.mustCreate()
	s.must(s.stop(id))
	s.application.slow.Store(true)
	homes := s.application.signIns.Load()
	ctx, hangUp := context.WithCancel(t.Context())
	command, answered := uuid.NewString(), make(chan error, 1)
	go func() {
		_, err := s.createSession(ctx, command)
		answered <- err
	}()
	s.eventually("the session to be opened", func() bool { return s.openSessions() == 1 })
	hangUp()
	<-answered
	last := s.ended(command)[1]
	end, err := event.PayloadOf[event.CommandCompleted](last)
	s.must(err)
	if end.Outcome != event.Failed || end.Kind != contracts.Timeout {
		t.Errorf("%+v", end)
	}
	s.eventually("no session registered", func() bool { return s.openSessions() == 0 })
	s.expectSignIns(homes)
}
