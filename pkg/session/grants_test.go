package session_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
)

// tokens stands in for the accounts service.
type tokens struct {
	mu    sync.Mutex
	ended []string
}

func (h *house) tokens() *tokens {
	h.Helper()
	a := &tokens{}
	srv := bus.NewServer(bus.Config{Name: "accounts", Version: "1.0.0", Workers: 1, Queue: 10, Logger: quiet})
	bus.Handle(srv, accounts.CheckGrants, a.check)
	h.must(srv.Start(h.nc))
	h.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := srv.Drain(ctx); err != nil {
			h.Error(err)
		}
	})
	return a
}

func (a *tokens) check(_ context.Context, req *accounts.CheckGrantsRequest) (*accounts.EndedGrants, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var ended accounts.EndedGrants
	for _, grant := range req.Grants {
		for _, over := range a.ended {
			if grant == over {
				ended.Ended = append(ended.Ended, grant)
			}
		}
	}
	return &ended, nil
}

func (a *tokens) end(grant string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = append(a.ended, grant)
}

func TestASessionWhoseGrantEndsIsCutOffAtOnceOrTheNextTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, k := h.tokens(), h.keeper(defaults)
	open := func(account, grant string) *opened {
		r := k.request("caller", account)
		r.Identity.Grant = grant
		return k.openAs(r)
	}
	revoked, unlinked, stays := open("anna", "grant-1"), open("bert", "grant-2"), open("carl", "grant-3")
	clients := []*client{revoked.connect(revoked.WSURL), unlinked.connect(unlinked.WSURL)}
	e, err := event.New(event.AccountUnlinked{})
	h.must(err)
	e.Integration, e.Account = "marketplace", "bert"
	_, err = h.log.Append(t.Context(), event.AccountStream("bert"), 0, e)
	h.must(err)
	a.end("grant-1")
	a.end("grant-2")
	h.must(h.nc.Publish(accounts.GrantsSubject, nil))
	for i, want := range []string{"a token that it was opened with works no more", "its account was unlinked"} {
		why, took := clients[i].cutOff()
		if !strings.Contains(why, want) || took > 2*time.Second {
			t.Errorf("its client was told %q after %v", why, took)
		}
	}
	if why := revoked.closed(); why != event.SessionRevoked {
		t.Errorf("it was %s", why)
	}
	if why := unlinked.closed(); why != event.SessionUnlinked {
		t.Errorf("it was %s", why)
	}
	if n := k.kept.Load(); n != 0 {
		t.Errorf("%d states were kept of sessions that their clients had no more right to", n)
	}
	if _, err := stays.ask(""); err != nil {
		t.Error(err)
	}
	a.end("grant-3") // nobody tells of it: the message was lost
	if why := stays.closed(); why != event.SessionRevoked {
		t.Errorf("when nobody told of it, it was %s", why)
	}
}
