package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/readmodel"
	"integration.gateway/pkg/vault"
)

// maxElsewhere bounds the events in other streams that a command's story has;
// a command signs in once or twice.
const maxElsewhere = 200

var errNoCommand = contracts.Errorf(contracts.NotFound, "there is no such command")

// GetCommand tells a command's whole story: to the operator, and to the caller
// that gave the command. It reads the log and not the read models, so that it is
// never behind.
func (s *Service) GetCommand(ctx context.Context, req *audit.GetCommandRequest) (*audit.CommandStory, error) {
	events, err := s.caused(ctx, req.CommandID)
	if err != nil {
		return nil, err
	}
	asking := bus.IdentityFrom(ctx)
	if asking.CallerID != contracts.AdminCaller {
		events = own(req.CommandID, asking.CallerID, events)
	}
	if len(events) == 0 {
		return nil, errNoCommand
	}
	if req.Open {
		if err := s.open(ctx, req.CommandID, events); err != nil {
			return nil, err
		}
	}
	story := &audit.CommandStory{Command: addUp(req.CommandID, events)}
	left := room{answerBytes}
	for _, e := range events {
		entry := shown(e)
		fits, err := left.takes(entry)
		if err != nil {
			return nil, err
		}
		if !fits {
			entry = withoutData(entry)
		}
		story.Events = append(story.Events, entry)
	}
	return story, nil
}

// caused returns the events of a command's stream, and those that it caused in
// the streams of its account and sessions, in the order of the log. Those that
// have no place yet are last.
func (s *Service) caused(ctx context.Context, id string) ([]event.Event, error) {
	stream := event.CommandStream(id)
	if event.ValidateStream(stream) != nil {
		return nil, errNoCommand // none can have such an id
	}
	elsewhere, err := s.log.Query(ctx, eventlog.Filter{Command: id}, maxElsewhere)
	if err != nil {
		return nil, err
	}
	events, err := s.log.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	for _, e := range elsewhere {
		if e.Stream != stream {
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events, func(a, b event.Event) int { return cmp.Compare(place(a), place(b)) })
	return events, nil
}

// own returns what a caller may see of a command's events: all of its own when
// it gave that command, and otherwise none, as if there were no such command.
func own(id, caller string, events []event.Event) []event.Event {
	events = slices.DeleteFunc(events, func(e event.Event) bool { return e.Caller != caller })
	gave := func(e event.Event) bool { return e.Stream == event.CommandStream(id) }
	if caller == "" || !slices.ContainsFunc(events, gave) {
		return nil
	}
	return events
}

func place(e event.Event) int64 {
	if e.Seq == 0 {
		return math.MaxInt64
	}
	return e.Seq
}

// addUp returns what a command's own events say about it, or nil if it has none.
func addUp(id string, events []event.Event) *audit.Command {
	var c readmodel.Command
	for _, e := range events {
		if e.Stream == event.CommandStream(id) {
			_ = c.Apply(e) // the command names it as its Problem
		}
	}
	if c.Events == 0 {
		return nil
	}
	shown := command(c)
	return &shown
}

// open puts the events' personal data in clear, after it has noted who asked. A
// caller may read what it has the account's token for.
func (s *Service) open(ctx context.Context, id string, events []event.Event) error {
	asking := bus.IdentityFrom(ctx)
	withheld := func(e event.Event) bool { return e.Account != "" && e.Account != asking.AccountID }
	if asking.CallerID != contracts.AdminCaller && slices.ContainsFunc(events, withheld) {
		return contracts.Errorf(contracts.Invalid, "open=true needs the %s of the command's account", contracts.AccountTokenHeader)
	}
	s.logger.InfoContext(ctx, "the personal data of a command is opened", "opened", id, "by", asking.CallerID, "request", asking.CommandID)
	for i := range events {
		e := &events[i]
		if !json.Valid(e.Data) {
			continue // see shown
		}
		data, err := s.vault.ShowFields(ctx, e.Account, e.Data)
		if errors.Is(err, vault.ErrNotFound) || errors.Is(err, vault.ErrDamaged) {
			return &contracts.Error{
				Kind: contracts.Fault, Err: err,
				Message: fmt.Sprintf("the personal data of event %s does not open with this vault; without open=true it is shown sealed", e.ID),
			}
		}
		if err != nil {
			return fmt.Errorf("open event %s: %w", e.ID, err)
		}
		e.Data = data
	}
	return nil
}
