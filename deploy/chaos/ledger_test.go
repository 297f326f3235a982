package chaos_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

// story is a command as the event log tells it.
type story struct {
	id       string
	account  string
	what     thing
	begun    time.Time
	started  int // effect.started
	start    time.Time
	unknown  *time.Time
	verdict  *event.EffectReconciled
	settled  time.Time
	end      string // type of its last event, if that ends it
	applied  bool   // it says that the effect happened
	late     bool   // after it had said that it had not
	events   []event.Event
	complete event.CommandCompleted
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
	users := map[string]string{}
	for _, a := range w.lanes {
		users[a.id] = a.user
	}
	var all []*story
	byID := map[string]*story{}
	for _, e := range events {
		if !strings.HasPrefix(e.Stream, "command/") {
			continue
		}
		s := byID[e.Command]
		if s == nil {
			s = &story{id: e.Command, account: e.Account, begun: w.when(e), what: thing{user: users[e.Account]}}
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
		s.verdict, s.settled = &verdict, at
		return err
	case event.TypeEffectFoundLate:
		found, err := event.PayloadOf[event.EffectFoundLate](e)
		s.applied, s.late, s.complete.Result = true, true, found.Result
		return err
	case event.TypeCommandRejected:
		s.end = e.Type
	case event.TypeCommandCompleted:
		complete, err := event.PayloadOf[event.CommandCompleted](e)
		s.end, s.complete = e.Type, complete
		s.applied = s.what.kind != contracts.NoEffect && complete.Outcome == event.Succeeded
		return err
	}
	return nil
}

// begin reads which item the command is about, which the log holds sealed.
func (w *world) begin(ctx context.Context, s *story, e event.Event) error {
	accepted, err := event.PayloadOf[event.CommandAccepted](e)
	if err != nil {
		return err
	}
	s.what.kind = accepted.Effect
	if s.what.kind == contracts.NoEffect {
		return nil
	}
	request, err := w.vault.OpenFields(ctx, s.account, accepted.Request)
	if err != nil {
		return err
	}
	var r struct {
		Body struct {
			ASIN string `json:"asin"`
		} `json:"body"`
	}
	err = json.Unmarshal(request, &r)
	s.what.asin = r.Body.ASIN
	return err
}

// outcome is what came of a trial.
type outcome struct {
	*trial
	commands []*story
	effects  []effect
}

// outcomes gives each command and each effect to the latest trial before it that
// wanted the same thing. What no trial wanted is returned apart.
func (w *world) outcomes(stories []*story) (all []*outcome, strange []string) {
	latest := func(what thing, at time.Time) *outcome {
		for _, o := range slices.Backward(all) {
			if o.what == what && !o.begun.After(at) {
				return o
			}
		}
		return nil
	}
	for _, t := range w.trials {
		all = append(all, &outcome{trial: t})
	}
	slices.SortStableFunc(all, func(a, b *outcome) int { return a.begun.Compare(b.begun) })
	for _, s := range stories {
		if s.what.kind == contracts.NoEffect {
			continue
		}
		if o := latest(s.what, s.begun); o != nil {
			o.commands = append(o.commands, s)
		} else {
			strange = append(strange, fmt.Sprintf("command %s of %v", s.id, s.what))
		}
	}
	for _, e := range w.shop.effects {
		if o := latest(e.what, e.at); o != nil {
			o.effects = append(o.effects, e)
		} else {
			strange = append(strange, e.String())
		}
	}
	return all, strange
}
