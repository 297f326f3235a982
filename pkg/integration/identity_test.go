package integration

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/command"
)

// another is an item that is not that of the other orders.
const another = "B0GJQ5TZKK"

// linkAgain links the user of the office's account once more, and returns the
// account that it was.
func (o *office) linkAgain() (before string) {
	o.Helper()
	before, o.account = o.account, uuid.NewString()
	o.link(password)
	return before
}

// reconciled has the reconcile flow look at a command, whose settle time is over.
func (in *instance) reconciled(id string) (applied bool, err error) {
	in.Helper()
	r := newReconciler(in.player, in.sites, in.recorder(), shopService, Config{})
	d, err := r.recorder.Doubt(in.Context(), id)
	in.must(err)
	return r.byFlow(in.Context(), d)
}

// One user is linked twice. The order of the first link was lost, and the second
// one's would be taken for it.
func TestOrderOfAnotherLinkIsNotTakenForTheLostOne(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.application.deaf.Store(true)
	lost := in.order(item)
	if lost.err == nil || lost.err.Kind != contracts.Unknown {
		t.Fatalf("%+v", lost.err)
	}
	in.application.deaf.Store(false)
	in.linkAgain()
	if out := in.order(item); out.err == nil || out.err.Kind != contracts.Busy || strings.Contains(out.err.Message, lost.id) {
		t.Errorf("an order beside it: %+v, %+v", out.res, out.err)
	}
	if applied, err := in.reconciled(lost.id); applied || err != nil {
		t.Errorf("applied %t, %v", applied, err)
	}
	if out := in.order(item); out.err != nil || out.res.OrderID != "1" {
		t.Errorf("an order after it: %+v, %+v", out.res, out.err)
	}
}

// The shop keeps the order of a visit until it has shown it, and shows it in
// answer to the next one. The visit of an effect in doubt is over.
func TestNextOrderIsNotAnsweredWithTheOneInDoubt(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*instance) *instance{
		"at the same instance": func(in *instance) *instance { return in },
		// It is killed before it has recorded what it knows; another one does.
		"at another instance": func(in *instance) *instance {
			in.die()
			in = in.office.instance()
			recovery := command.Recovery{Recorder: in.recorder(), Integration: shopService.Name, Logger: slog.New(slog.DiscardHandler)}
			in.must(recovery.Sweep(in.Context()))
			return in
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := newOffice(t).instance()
			in.mustList()
			in.application.mute.Store(true)
			killed := strings.Contains(name, "another")
			if killed {
				in.log = forgetful{in.office.log}
			}
			out := in.order(item)
			if out.err == nil || out.err.Kind != contracts.Unknown {
				t.Fatalf("%+v", out.err)
			}
			in.application.mute.Store(false)
			in = next(in)
			if applied, err := in.reconciled(out.id); !applied || err != nil {
				t.Fatalf("applied %t, %v", applied, err)
			}
			if out := in.order(another); out.err != nil || out.res.OrderID != "2" {
				t.Errorf("the next order is answered with %+v, %+v", out.res, out.err)
			}
			in.expectSignIns(2)
		})
	}
}

// What no fresh sign-in helps against: the application shows an order that is
// another command's.
func TestOrderOfAnotherCommandIsNoAnswer(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	if out := in.order(item); out.err != nil {
		t.Fatalf("%+v", out.err)
	}
	in.application.orders.Store(0) // it counts anew
	out := in.order(another)
	if out.err == nil || out.err.Kind != contracts.Unknown || out.events != inDoubt {
		t.Fatalf("%+v, %+v, %s", out.res, out.err, out.events)
	}
	if _, err := in.reconciled(out.id); err == nil || contracts.AsError(err).Kind != contracts.Invalid || types(in.told(out.id)) != inDoubt {
		t.Errorf("it is settled: %v", err)
	}
}

// A person may have placed the order that the flow finds.
func TestOrderBesideASessionIsLeftToAPerson(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	p := s.process(time.Hour, nil)
	account := s.linkAgain()
	session, _ := s.mustCreate()
	s.account = account
	s.application.mute.Store(true)
	id := s.doubtfulOrder()
	s.must(s.stop(session))
	s.eventually("a look", func() bool { return strings.Contains(p.journal.String(), "stays in doubt") })
	_, err := s.settle(&audit.SettleRequest{CommandID: id})
	if e := contracts.AsError(err); err == nil || e.Kind != contracts.Invalid || !strings.Contains(e.Message, "session") || !strings.Contains(e.Message, "--applied") {
		t.Errorf("a look that a person asks for: %v", err)
	}
	if got := types(s.told(id)); got != inDoubt {
		t.Errorf("events %s", got)
	}
	applied := true
	_, err = s.settle(&audit.SettleRequest{CommandID: id, Applied: &applied})
	s.must(err)
	s.expectReconciled(s.told(id), event.EffectReconciled{Applied: true, By: event.ByOperator})
}

// Another process than this one has recorded it.
func TestWarmBrowsersAreDroppedWhenTheLogTellsThatTheyAreStale(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	in := s.instance()
	stop, err := forgetStale(s.nc, shopService.Name, in.player.browsers, in.vault)
	s.must(err)
	defer func() { s.must(stop()) }()
	warm := func() bool {
		page, err := in.player.browsers.Acquire(t.Context(), browser.Tenant{Account: s.account})
		s.must(err)
		defer page.Release(true)
		defer page.SetProven(time.Now())
		return !page.Proven().IsZero()
	}
	for _, e := range []event.Event{
		{Type: event.TypeAccountUnlinked},
		{Type: event.TypeSessionClosed, Operation: "create-session"},
		{Type: event.TypeEffectUnknown, Operation: "buy-now"},
	} {
		warm()
		if !warm() {
			t.Fatal("nothing is warm")
		}
		e.ID, e.Integration, e.Account, e.Stream, e.Version, e.Seq = event.NewID(), shopService.Name, s.account, "a", 1, 1
		e.Time, e.Data, e.Hash = time.Unix(1, 0), []byte(`{}`), make([]byte, 32)
		subject, header, data, err := event.Encode(e)
		s.must(err)
		s.must(s.nc.PublishMsg(&nats.Msg{Subject: subject, Header: header, Data: data}))
		dropped := false
		for range 100 { // few enough that the browser itself is not made anew
			if dropped = !warm(); dropped {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if !dropped {
			t.Errorf("%s leaves the context warm", e.Type)
		}
	}
}
