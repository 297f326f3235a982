package integration

import (
	"errors"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/command"
)

func TestDoubtThatNoFlowCanSettleWaitsForAPerson(t *testing.T) {
	t.Parallel()
	applied, notApplied := true, false
	for name, c := range map[string]struct {
		says  *bool
		erase bool
	}{
		"who says that it happened":       {says: &applied},
		"who says that it did not":        {says: &notApplied},
		"also when the account is erased": {says: &applied, erase: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStreet(t)
			p := s.process(time.Hour, nil)
			s.application.mute.Store(true)
			s.application.closed.Store(true)
			id := s.doubtfulOrder()
			reason := "what became of the command could not be found out at the application"
			if c.erase {
				s.must(s.vault.Erase(t.Context(), s.account))
				s.application.closed.Store(false)
				reason = "the account is erased, so no flow can look for it"
			}
			s.eventually("the log of a look", func() bool {
				text := p.journal.String()
				return strings.Contains(text, "a command stays in doubt") && strings.Contains(text, reason)
			})
			s.settlesAsSaid(id, *c.says, c.erase)
		})
	}
}

// settlesAsSaid has a person settle a command in doubt.
func (s *street) settlesAsSaid(id string, applied, erased bool) {
	s.Helper()
	res, err := s.settle(&audit.SettleRequest{CommandID: id, Applied: &applied, Note: "Jane says so on the telephone"})
	if err != nil || res.Applied != applied {
		s.Fatalf("%+v, %v", res, err)
	}
	events := s.told(id)
	end := s.expectReconciled(events, event.EffectReconciled{Applied: applied, By: event.ByOperator})
	if end.Result != nil {
		s.Errorf("a person gave a result: %s", end.Result)
	}
	settled, err := event.PayloadOf[event.EffectReconciled](events[3])
	s.must(err)
	if (settled.Evidence == nil) != erased || strings.Contains(string(settled.Evidence), "Jane") {
		s.Errorf("evidence %s", settled.Evidence)
	}
	if _, err := s.settle(&audit.SettleRequest{CommandID: id, Applied: &applied}); contracts.AsError(err).Kind != contracts.Invalid {
		s.Errorf("settled twice: %v", err)
	}
	if applied {
		return
	}
	yes := true // after all
	if res, err := s.settle(&audit.SettleRequest{CommandID: id, Applied: &yes, Note: "Jane has it"}); err != nil || !res.Applied {
		s.Errorf("a person who finds it late: %+v, %v", res, err)
	}
	if events := s.told(id); len(events) != 6 || events[5].Type != event.TypeEffectFoundLate {
		s.Errorf("events %s", types(events))
	}
}

func TestSettlingByFlowAtOnce(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.process(time.Hour, nil)
	s.application.deaf.Store(true)
	id := s.doubtfulOrder()
	for _, c := range []struct {
		closed bool
		words  string
	}{{true, "buy-now.reconcile.yaml step 2"}, {false, "that counts from "}} {
		s.application.closed.Store(c.closed)
		_, err := s.settle(&audit.SettleRequest{CommandID: id})
		if e := contracts.AsError(err); err == nil || e.Kind != contracts.Unavailable || !strings.Contains(e.Message, c.words) {
			t.Errorf("want %q: %+v", c.words, e)
		}
	}
	if got := types(s.told(id)); got != inDoubt {
		t.Errorf("events %s", got)
	}
	s.application.orders.Add(1) // it was at work on it after all
	if res, err := s.settle(&audit.SettleRequest{CommandID: id}); err != nil && !errors.Is(err, command.ErrSettled) || err == nil && !res.Applied {
		t.Errorf("%+v, %v", res, err)
	}
	s.expectReconciled(s.ended(id), event.EffectReconciled{Applied: true, By: event.ByFlow})
}

func TestOperationWithoutAReconcileFlowWaitsForAPerson(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	in := s.instance()
	out := run(t.Context(), in, marketplace.AddToCart, &marketplace.AddToCartRequest{Body: marketplace.ItemChoice{ASIN: item}})
	if out.events != inDoubt {
		t.Fatalf("%+v, %s", out.err, out.events)
	}
	p := s.process(0, nil)
	s.eventually("the log of a look", func() bool { return strings.Contains(p.journal.String(), "a command stays in doubt") })
	_, err := s.settle(&audit.SettleRequest{CommandID: out.id})
	if e := contracts.AsError(err); err == nil || e.Kind != contracts.Invalid || !strings.Contains(e.Message, "has no flow") {
		t.Errorf("%+v", e)
	}
	s.settlesAsSaid(out.id, false, false)
}

// The requests by which a person settles commands are none themselves.
func TestSettlingIsNoCommand(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.process(time.Hour, nil)
	_, err := s.settle(&audit.SettleRequest{CommandID: "00000000-0000-4000-8000-000000000000"})
	if e := contracts.AsError(err); err == nil || e.Kind != contracts.NotFound {
		t.Errorf("%+v", e)
	}
	var n int
	s.must(s.pool.QueryRow(t.Context(), `SELECT count(*) FROM events`).Scan(&n))
	if n != 0 {
		t.Errorf("%d events", n)
	}
}
