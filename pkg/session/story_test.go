package session_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/session"
)

// outage is a log that can be away.
type outage struct {
	session.Log
	away atomic.Bool
}

func (o *outage) Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error) {
	if o.away.Load() {
		return nil, errors.New("the database is away")
	}
	return o.Log.Append(ctx, stream, last, events...)
}

func (h *house) keeperOfOutage() (*keeper, *outage) {
	h.Helper()
	o := &outage{}
	return h.keeperWith(defaults, func(log session.Log) session.Log {
		o.Log = log
		return o
	}), o
}

func TestASessionThatCannotBeRecordedIsNotHandedOver(t *testing.T) {
	t.Parallel()
	k, log := newHouse(t).keeperOfOutage()
	log.away.Store(true)
	_, err := k.Create(t.Context(), k.request("caller", "anna"))
	if e := contracts.AsError(err); e.Kind != contracts.Unavailable || e.RetryAfter == 0 {
		t.Errorf("got %v", err)
	}
	eventually(t, "nothing left", func() bool { return k.entered() == 0 && len(processes(t, k.dir)) == 0 })
}

func TestASessionIsUsedWhileTheLogIsAwayAndRecordedAfterwards(t *testing.T) {
	t.Parallel()
	k, log := newHouse(t).keeperOfOutage()
	s := k.open("caller", "anna")
	log.away.Store(true)
	c := s.connect(s.WSURL)
	if name := c.name(); name != "anna" {
		t.Errorf("it says %q", name)
	}
	k.must(c.conn.CloseNow())
	eventually(t, "what it has changed to be kept", func() bool { return k.kept.Load() == 1 })
	if n := len(s.told()); n != 1 {
		t.Errorf("the log has %d events", n)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := s.ask(event.SessionReleased)
		ended <- err
	}()
	if err := <-ended; err != nil {
		t.Errorf("who stops it waits in vain: %v", err)
	}
	assertNothingLeft(t, k.dir)
	log.away.Store(false)
	if why := s.closed(); why != event.SessionReleased {
		t.Errorf("it was %s", why)
	}
	var types []string
	for _, e := range s.told() {
		types = append(types, e.Type)
	}
	if got := strings.Join(types, " "); got != "session.opened session.attached session.detached session.closed" {
		t.Error(got)
	}
	eventually(t, "no session registered", func() bool { return k.entered() == 0 })
}
