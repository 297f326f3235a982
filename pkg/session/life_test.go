package session_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/session"
)

func TestASessionIsHandedOverSignedInAndEndsWithoutATrace(t *testing.T) {
	t.Parallel()
	k := newHouse(t).keeper(defaults)
	s := k.open("caller", "anna")
	if s.Status != contracts.StatusOK || s.PostSignInURL != k.site.URL+"/home" {
		t.Errorf("%+v", s.Session)
	}
	first := s.told()[0]
	if first.Type != event.TypeSessionOpened || first.Integration != "marketplace" || first.Operation != "create-session" ||
		first.Caller != "caller" || first.Account != "anna" || first.Command == "" {
		t.Errorf("%+v", first)
	}
	about, err := event.PayloadOf[event.SessionOpened](first)
	k.must(err)
	if about.Site != "shop" || time.Until(about.Expires).Round(time.Minute) != time.Hour {
		t.Errorf("%+v", about)
	}
	if k.entered() != 1 || len(processes(t, k.dir)) == 0 {
		t.Errorf("%d sessions are registered, with %d processes", k.entered(), len(processes(t, k.dir)))
	}
	if _, err := s.ask(event.SessionReleased); err != nil {
		t.Fatal(err)
	}
	// At the moment of the answer.
	assertNothingLeft(t, k.dir)
	if n := k.entered(); n != 0 {
		t.Errorf("%d sessions are still registered", n)
	}
	if _, err := s.ask(""); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("who asks for it is told %v", err)
	}
	if why := s.closed(); why != event.SessionReleased || k.kept.Load() != 1 {
		t.Errorf("it was %s, and kept %d times", why, k.kept.Load())
	}
}

func TestASessionThatIsNotSignedInLeavesNothing(t *testing.T) {
	t.Parallel()
	k := newHouse(t).keeper(defaults)
	r := k.request("caller", "anna")
	wrong := contracts.Errorf(contracts.Rejected, "wrong password")
	r.SignIn = func(context.Context, *browser.Page) (session.SignedIn, error) { return session.SignedIn{}, wrong }
	if _, err := k.Create(t.Context(), r); !errors.Is(err, wrong) {
		t.Errorf("got %v", err)
	}
	r.SignIn = func(context.Context, *browser.Page) (session.SignedIn, error) { panic("oh") }
	func() {
		defer func() { _ = recover() }()
		_, _ = k.Create(t.Context(), r)
	}()
	eventually(t, "nothing left", func() bool { return k.entered() == 0 && len(processes(t, k.dir)) == 0 })
}

func TestASessionEndsWhenNobodyIsConnectedForTooLong(t *testing.T) {
	t.Parallel()
	cfg := defaults
	cfg.Idle = time.Second
	k := newHouse(t).keeper(cfg)
	s := k.open("caller", "anna")
	c := s.connect(s.WSURL)
	time.Sleep(2 * cfg.Idle) // that nothing happens has no event
	if name := c.name(); name != "anna" {
		t.Errorf("it says %q", name)
	}
	k.must(c.conn.CloseNow())
	if why := s.closed(); why != event.SessionIdle {
		t.Errorf("it was %s", why)
	}
	var types []string
	for _, e := range s.told() {
		types = append(types, e.Type)
	}
	if got := strings.Join(types, " "); got != "session.opened session.attached session.detached session.closed" {
		t.Error(got)
	}
}

func TestASessionEndsWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	cfg := defaults
	cfg.Time = 2 * time.Second
	k := newHouse(t).keeper(cfg)
	s := k.open("caller", "anna")
	c := s.connect(s.WSURL)
	if why, _ := c.cutOff(); !strings.Contains(why, "its time was over") {
		t.Errorf("its client was told %q", why)
	}
	if why := s.closed(); why != event.SessionExpired {
		t.Errorf("it was %s", why)
	}
}

func TestASessionWhoseBrowserDiesIsLost(t *testing.T) {
	t.Parallel()
	k := newHouse(t).keeper(defaults)
	s := k.open("caller", "anna")
	c := s.connect(s.WSURL)
	for _, pid := range processes(t, k.dir) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	c.cutOff()
	if why := s.closed(); why != event.SessionLost {
		t.Errorf("it was %s", why)
	}
	eventually(t, "nothing left", func() bool { return k.entered() == 0 && len(processes(t, k.dir)) == 0 })
}

// The pages are the client's: it may open others, close the first and all, and
// then give the session back.
func TestASessionOutlivesItsPagesAndIsGivenBack(t *testing.T) {
	t.Parallel()
	k := newHouse(t).keeper(defaults)
	s := k.open("caller", "anna")
	c := s.connect(s.WSURL)
	first := c.pages()
	if len(first) != 1 {
		t.Fatalf("it has %d pages", len(first))
	}
	var made struct{ TargetID string }
	k.must(c.call("", "Target.createTarget", map[string]any{"url": k.site.URL + "/home"}, &made))
	k.must(c.call("", "Target.closeTarget", map[string]any{"targetId": first[0]}, nil))
	eventually(t, "only the new page", func() bool {
		pages := c.pages()
		return len(pages) == 1 && pages[0] == made.TargetID
	})
	eventually(t, "its document", func() bool { return c.name() == "anna" })
	k.must(c.call("", "Target.closeTarget", map[string]any{"targetId": made.TargetID}, nil))
	eventually(t, "no page", func() bool { return len(c.pages()) == 0 })
	k.must(c.conn.CloseNow())
	eventually(t, "what it has changed to be kept", func() bool { return k.kept.Load() == 1 })
	if _, err := s.ask(""); err != nil {
		t.Errorf("it has ended: %v", err)
	}
	_ = s.connect(s.WSURL).call("", "Browser.close", struct{}{}, nil) // the connection may end before the answer
	if why := s.closed(); why != event.SessionReleased {
		t.Errorf("given back, it was %s", why)
	}
}

func TestTheEndOfTheServiceEndsItsSessions(t *testing.T) {
	t.Parallel()
	cfg := defaults
	cfg.Reserve = 1
	k := newHouse(t).keeper(cfg)
	s := k.open("caller", "anna")
	c := s.connect(s.WSURL)
	k.close()
	if why, _ := c.cutOff(); !strings.Contains(why, "the service was stopped") {
		t.Errorf("its client was told %q", why)
	}
	if why := s.closed(); why != event.SessionShutdown {
		t.Errorf("it was %s", why)
	}
	if _, err := k.Create(t.Context(), k.request("caller", "anna")); contracts.AsError(err).Kind != contracts.Unavailable {
		t.Errorf("got %v", err)
	}
	address, err := url.Parse(s.WSURL)
	k.must(err)
	if conn, err := net.Dial("tcp", address.Host); err == nil {
		_ = conn.Close()
		t.Error("its port is still open")
	}
}

func TestASessionWhoseCallerDidNotWaitEnds(t *testing.T) {
	t.Parallel()
	k := newHouse(t).keeper(defaults)
	for account, cause := range map[string]error{"bert": errors.New("it hung up"), "carl": context.DeadlineExceeded} {
		ctx, cancel := context.WithCancelCause(t.Context())
		s, err := k.Create(ctx, k.request("caller", account))
		k.must(err)
		cancel(cause)
		o := &opened{keeper: k, Session: s, id: idOf(s)}
		if why := o.closed(); why != event.SessionReleased {
			t.Errorf("when %v, it was %s", cause, why)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, err := k.Create(ctx, k.request("caller", "anna"))
	k.must(err)
	cancel() // as the bus does once the answer is sent
	o := &opened{keeper: k, Session: s, id: idOf(s)}
	if name := o.connect(s.WSURL).name(); name != "anna" {
		t.Errorf("it says %q", name)
	}
}

func TestSessionsAreLimited(t *testing.T) {
	t.Parallel()
	cfg := defaults
	cfg.Max, cfg.MaxCaller = 2, 2
	h := newHouse(t)
	one, two := h.keeper(cfg), h.keeper(cfg)
	refused := func(k *keeper, caller, want string) {
		t.Helper()
		_, err := k.Create(t.Context(), k.request(caller, "anna"))
		if e := contracts.AsError(err); e.Kind != contracts.Busy || e.RetryAfter == 0 || !strings.Contains(e.Message, want) {
			t.Errorf("got %v", err)
		}
	}
	first := one.open("caller", "anna")
	two.open("caller", "bert")
	refused(one, "caller", "this caller has 2 sessions open")
	refused(two, "caller", "this caller has 2 sessions open")
	one.open("another", "carl")
	refused(one, "a third", "all 2 that this instance may have are open")
	if _, err := first.ask(event.SessionStopped); err != nil {
		t.Fatal(err)
	}
	if why := first.closed(); why != event.SessionStopped {
		t.Errorf("it was %s", why)
	}
	two.open("caller", "anna")
}
