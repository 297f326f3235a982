package audit

import (
	"context"

	"integration.gateway/contracts/audit"
	"integration.gateway/pkg/eventlog"
)

// chunk is how many events are read at once. Each may have 768 KiB.
const chunk = 50

// ListEvents lists events in the order of the log.
func (s *Service) ListEvents(ctx context.Context, req *audit.ListEventsRequest) (*audit.Events, error) {
	limit, err := limitOf(req.Limit)
	if err != nil {
		return nil, err
	}
	filter := eventlog.Filter{
		Integration: req.Integration, Operation: req.Operation, Type: req.Type,
		Caller: req.CallerID, Account: req.AccountID, Command: req.CommandID,
		Since: req.Since, Until: req.Until, AfterSeq: req.After,
	}
	page := eventPage{limit: limit, room: room{answerBytes}}
	for {
		// One more than wanted tells whether there is a next part.
		most := min(chunk, limit+1-len(page.Events.Events))
		found, err := s.log.Query(ctx, filter, most)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if full, err := page.add(shown(e)); full || err != nil {
				return &page.Events, err
			}
		}
		if len(found) == 0 {
			return &page.Events, nil
		}
		filter.AfterSeq = found[len(found)-1].Seq
	}
}

// eventPage is a part of a list while it is filled.
type eventPage struct {
	audit.Events
	limit int
	room  room
}

// add adds an event, or notes that it begins the next part when the page is
// full. The first event is on the page however long it is.
func (p *eventPage) add(e audit.Event) (full bool, err error) {
	count := len(p.Events.Events)
	fits, err := p.room.takes(e)
	switch {
	case err != nil:
		return false, err
	case count == p.limit || !fits && count > 0:
		p.Next = p.Events.Events[count-1].Seq
		return true, nil
	case !fits:
		e = withoutData(e)
		if _, err := p.room.takes(e); err != nil {
			return false, err
		}
	}
	p.Events.Events = append(p.Events.Events, e)
	return false, nil
}
