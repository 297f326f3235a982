package audit_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/bus"
)

// expires is when the sessions of the tests end by themselves.
var expires = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// openSession appends the story of a session of the first caller that has two clients.
func (b *bundle) openSession(t *testing.T, integration, account string) (id string) {
	t.Helper()
	id = uuid.Must(uuid.NewV7()).String()
	var events []event.Event
	for _, p := range []event.Payload{
		event.SessionOpened{Site: "sandbox", Expires: expires},
		event.SessionAttached{Purpose: event.Control},
		event.SessionAttached{Purpose: event.View},
		event.SessionAttached{Purpose: event.View},
		event.SessionDetached{Purpose: event.View, Seconds: 2},
	} {
		e := of(t, "command-of-"+id, account, p)
		e.Integration, e.Operation = integration, "create-session"
		events = append(events, e)
	}
	b.append(t, event.SessionStream(id), 0, events...)
	return id
}

func (b *bundle) closeSession(t *testing.T, id, reason string) {
	t.Helper()
	e := of(t, "command-of-"+id, ann, event.SessionClosed{Reason: reason, Seconds: 60})
	e.Operation = "create-session"
	b.append(t, event.SessionStream(id), 5, e)
}

// hold is the process that holds a session's browser: it ends the session when
// it is told to. It returns what it was asked.
func (b *bundle) hold(t *testing.T, id string) <-chan sessions.Ask {
	t.Helper()
	asked := make(chan sessions.Ask, 10)
	var held *nats.Subscription
	held, err := b.nats.Subscribe(sessions.Subject(id), func(msg *nats.Msg) {
		var ask sessions.Ask
		if err := json.Unmarshal(msg.Data, &ask); err != nil {
			t.Error(err)
		}
		asked <- ask
		if ask.Stop != "" {
			b.closeSession(t, id, ask.Stop)
			if err := held.Unsubscribe(); err != nil {
				t.Error(err)
			}
		}
		if err := msg.Respond([]byte(`{"url":"http://127.0.0.1:1"}`)); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.nats.Flush(); err != nil {
		t.Fatal(err)
	}
	return asked
}

func TestSessionIsToldAsTheLogHasIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := b.openSession(t, "marketplace", ann)
	want := api.Session{
		SessionID: id, Integration: "marketplace", Site: "sandbox", CommandID: "command-of-" + id, CallerID: "caller-1", AccountID: ann,
		State: "open", Expires: &expires, Attached: 3, Clients: 2,
	}
	for _, asking := range []bus.Identity{giver, holder, {CallerID: contracts.AdminCaller}} {
		got, err := tryAs(t, b, asking, api.GetSession, &api.SessionRequest{SessionID: id})
		if err != nil {
			t.Fatal(err)
		}
		if got.AttachedAt == nil || got.AttachedAt.Before(got.OpenedAt) {
			t.Errorf("opened %v, attached %v", got.OpenedAt, got.AttachedAt)
		}
		want.OpenedAt, want.AttachedAt = got.OpenedAt, got.AttachedAt
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("asked with %+v (-want +got):\n%s", asking, diff)
		}
	}
	b.closeSession(t, id, event.SessionIdle)
	got := call(t, b, api.GetSession, &api.SessionRequest{SessionID: id})
	if got.State != "closed" || got.Reason != "idle" || got.Clients != 0 || got.ClosedAt == nil {
		t.Errorf("got %+v", got)
	}
	eventually(t, func() bool { return call(t, b, api.GetLog, &api.GetLogRequest{}).Projected == 6 })
	listed := call(t, b, api.ListSessions, &api.ListSessionsRequest{})
	if diff := cmp.Diff([]api.Session{*got}, listed.Sessions); diff != "" {
		t.Errorf("the listed one is another (-got +listed):\n%s", diff)
	}
}

func TestSessionsAreListedInPartsAndByFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	first, second, third := b.openSession(t, "marketplace", ann), b.openSession(t, "agency", bob), b.openSession(t, "marketplace", bob)
	b.closeSession(t, first, event.SessionReleased)
	eventually(t, func() bool { return call(t, b, api.GetLog, &api.GetLogRequest{}).Projected == 16 })
	for name, c := range map[string]struct {
		req  api.ListSessionsRequest
		want []string
	}{
		"all":         {api.ListSessionsRequest{}, []string{third, second, first}},
		"in parts":    {api.ListSessionsRequest{Limit: 1}, []string{third, second, first}},
		"integration": {api.ListSessionsRequest{Integration: "agency"}, []string{second}},
		"caller":      {api.ListSessionsRequest{CallerID: "caller-2"}, nil},
		"account":     {api.ListSessionsRequest{AccountID: bob}, []string{third, second}},
		"open":        {api.ListSessionsRequest{State: "open", Limit: 1}, []string{third, second}},
		"closed":      {api.ListSessionsRequest{State: "closed"}, []string{first}},
	} {
		t.Run(name, func(t *testing.T) {
			var ids []string
			for {
				part := call(t, b, api.ListSessions, &c.req)
				for _, s := range part.Sessions {
					ids = append(ids, s.SessionID)
				}
				if c.req.After = part.Next; part.Next == "" {
					break
				}
			}
			if diff := cmp.Diff(c.want, ids); diff != "" {
				t.Errorf("sessions (-want +got):\n%s", diff)
			}
		})
	}
	for _, req := range []api.ListSessionsRequest{{After: uuid.NewString()}, {Limit: 501}, {Limit: -1}, {CallerID: "a\x00b"}} {
		_, err := try(t, b, api.ListSessions, &req)
		wantKind(t, err, contracts.Invalid)
	}
}

func TestStoppedSessionEndsForTheReasonOfWhoAsks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	for reason, asking := range map[string]bus.Identity{
		event.SessionReleased: giver,
		event.SessionStopped:  {CallerID: contracts.AdminCaller},
	} {
		id := b.openSession(t, "marketplace", ann)
		asked := b.hold(t, id)
		first, err := tryAs(t, b, asking, api.StopSession, &api.SessionRequest{SessionID: id})
		if err != nil || first.State != "closed" || first.Reason != reason {
			t.Fatalf("got %+v, %v", first, err)
		}
		if got := <-asked; got.Stop != reason {
			t.Errorf("it was asked %+v, want the end for %s", got, reason)
		}
		// Again, also by the other one: nothing changes.
		for _, asking := range []bus.Identity{giver, {CallerID: contracts.AdminCaller}} {
			again, err := tryAs(t, b, asking, api.StopSession, &api.SessionRequest{SessionID: id})
			if diff := cmp.Diff(first, again); diff != "" || err != nil {
				t.Errorf("stopped again: %v (-first +again):\n%s", err, diff)
			}
		}
		if len(asked) != 0 {
			t.Error("a session that has ended was asked for")
		}
	}
}

// Nobody learns that another caller's session is there, or ends it.
func TestSessionOfAnotherCallerIsNotThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id, nobodys := b.openSession(t, "marketplace", ann), uuid.NewString()
	opened := of(t, "command-1", ann, event.SessionOpened{Expires: expires})
	opened.Caller = ""
	b.append(t, event.SessionStream(nobodys), 0, opened)
	asked, askedOfNobodys := b.hold(t, id), b.hold(t, nobodys)
	for _, op := range []contracts.Operation[api.SessionRequest, api.Session]{api.GetSession, api.StopSession} {
		_, nothing := tryAs(t, b, other, op, &api.SessionRequest{SessionID: uuid.NewString()})
		wantKind(t, nothing, contracts.NotFound)
		for _, asking := range []bus.Identity{other, {CallerID: "caller-2", AccountID: ann}, {AccountID: ann}} {
			for _, id := range []string{id, nobodys} {
				_, err := tryAs(t, b, asking, op, &api.SessionRequest{SessionID: id})
				if diff := cmp.Diff(nothing, err); diff != "" {
					t.Errorf("%s with %+v: another answer than for one that is not there (-none +another's):\n%s", op.Name, asking, diff)
				}
			}
		}
		for _, odd := range []string{"", "*", ">", id + ".x", "a\x00b"} {
			_, err := try(t, b, op, &api.SessionRequest{SessionID: odd})
			wantKind(t, err, contracts.NotFound)
		}
	}
	if len(asked) != 0 || len(askedOfNobodys) != 0 || strings.Contains(b.processLog.String(), "to be stopped") {
		t.Error("its holder was asked")
	}
}

// The process that held it has died, and nobody has recorded that yet.
func TestSessionThatNobodyHoldsIsToldAsTheLogHasIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := b.openSession(t, "marketplace", ann)
	got, err := tryAs(t, b, giver, api.StopSession, &api.SessionRequest{SessionID: id})
	if err != nil || got.State != "open" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestHolderThatIsSilentLeavesTheEndOpen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := b.openSession(t, "marketplace", ann)
	if _, err := b.nats.SubscribeSync(sessions.Subject(id)); err != nil {
		t.Fatal(err)
	}
	_, err := tryAs(t, b, giver, api.StopSession, &api.SessionRequest{SessionID: id})
	wantKind(t, err, contracts.Unavailable)
	if err == nil || !strings.Contains(err.Error(), "not known yet") {
		t.Errorf("got %v", err)
	}
	if said := b.processLog.String(); !strings.Contains(said, "session="+id+" reason=released by=caller-1 request=request-1") {
		t.Errorf("the process log says:\n%s", said)
	}
}
