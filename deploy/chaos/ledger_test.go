package chaos_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

// story is a command as the event log tells it.
type story struct {
	id      string
	account *account
	request string // as it was opened; empty for a read

	operation string
	effect    contracts.Effect

	begun    time.Time
	started  int // effect.started
	start    time.Time
	unknown  *time.Time
	verdict  *event.EffectReconciled
	settled  time.Time
	by       string // who found out what became of an effect in doubt
	end      string // type of its last event, if that ends it
	applied  bool   // it says that the effect happened
	late     bool   // after it had said that it had not
	events   []event.Event
	complete event.CommandCompleted
	effects  []effect // that the application had of it
}

func (s *story) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "  command %s\n", s.id)
	for _, e := range s.events {
		data := string(e.Data)
		fmt.Fprintf(&text, "    %s %s %s\n", e.Time.Local().Format(clock), e.Type, data[:min(len(data), 300)])
	}
	return text.String()
}

// events reads the whole log.
func (w *world) events(ctx context.Context) ([]event.Event, error) {
	var all []event.Event
	for {
		page, err := w.log.Range(ctx, int64(len(all)), 1000)
		if err != nil || len(page) == 0 {
			return all, err
		}
		all = append(all, page...)
	}
}

// stories tells what the log knows of each command that belongs to a trial.
func (w *world) stories(ctx context.Context, events []event.Event) ([]*story, error) {
	accounts := map[string]*account{}
	for _, a := range w.lanes {
		accounts[a.id] = a
	}
	var all []*story
	byID := map[string]*story{}
	for _, e := range events {
		if !strings.HasPrefix(e.Stream, "command/") {
			continue
		}
		s := byID[e.Command]
		if s == nil {
			s = &story{id: e.Command, account: accounts[e.Account], operation: e.Operation, begun: w.when(e)}
			byID[e.Command] = s
			all = append(all, s)
		}
		s.events = append(s.events, e)
		if err := w.tell(ctx, s, e); err != nil {
			return nil, fmt.Errorf("command %s: %w", s.id, err)
		}
	}
	return all, nil
}

func (w *world) tell(ctx context.Context, s *story, e event.Event) error {
	at := w.when(e)
	switch e.Type {
	case event.TypeCommandAccepted:
		s.started, s.end, s.complete = 0, "", event.CommandCompleted{} // of an attempt before, which did nothing
		return w.begin(ctx, s, e)
	case event.TypeEffectStarted:
		s.started++
		s.start = at
	case event.TypeEffectUnknown:
		s.unknown = &at
	case event.TypeEffectReconciled:
		verdict, err := event.PayloadOf[event.EffectReconciled](e)
		s.verdict, s.settled, s.by = &verdict, at, verdict.By
		return err
	case event.TypeEffectFoundLate:
		found, err := event.PayloadOf[event.EffectFoundLate](e)
		s.applied, s.late, s.complete.Result = true, true, found.Result
		s.settled, s.by = at, found.By
		return err
	case event.TypeCommandRejected:
		s.end = e.Type
	case event.TypeCommandCompleted:
		complete, err := event.PayloadOf[event.CommandCompleted](e)
		s.end, s.complete = e.Type, complete
		s.applied = s.effect != contracts.NoEffect && complete.Outcome == event.Succeeded
		return err
	}
	return nil
}

// begin reads what the command is to do, which the log holds sealed.
func (w *world) begin(ctx context.Context, s *story, e event.Event) error {
	accepted, err := event.PayloadOf[event.CommandAccepted](e)
	if err != nil {
		return err
	}
	s.effect = accepted.Effect
	if s.effect == contracts.NoEffect {
		return nil
	}
	request, err := w.vault.OpenFields(ctx, s.account.id, accepted.Request)
	s.request = string(request)
	return err
}

// outcome is what came of a trial.
type outcome struct {
	*trial
	commands []*story
	effects  []effect
}

// outcomes gives each effect to its command, and each command to the trial whose
// client was told of it, or to the latest one before it that wanted the same
// thing of its account. What no trial wanted is returned apart.
func (w *world) outcomes(stories []*story) (all []*outcome, strange []string) {
	trials := map[string]*outcome{} // by command
	of := func(s *story) *outcome {
		if told := trials[s.id]; told != nil {
			return told
		}
		for _, o := range slices.Backward(all) {
			if o.account == s.account && o.asks(s) && !o.begun.After(s.begun) {
				return o
			}
		}
		return nil
	}
	for _, t := range w.trials {
		o := &outcome{trial: t}
		for _, q := range t.requests {
			for _, a := range q.all() {
				trials[a.command] = o
			}
		}
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b *outcome) int { return a.begun.Compare(b.begun) })
	for _, s := range stories {
		if s.effect == contracts.NoEffect {
			continue
		}
		if o := of(s); o != nil && o.account == s.account && o.asks(s) {
			o.commands, trials[s.id] = append(o.commands, s), o
		} else {
			strange = append(strange, fmt.Sprintf("command %s: %s %s", s.id, s.operation, s.request))
		}
	}
	for _, a := range w.applications {
		for _, e := range a.effects {
			o := trials[e.by]
			switch {
			case e.by == byHand:
			case o != nil && o.account.application == a && o.wants(e.change):
				s := o.command(e.by)
				o.effects, s.effects = append(o.effects, e), append(s.effects, e)
			default:
				strange = append(strange, a.name+": "+e.String())
			}
		}
	}
	return all, strange
}
