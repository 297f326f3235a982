package session

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
)

const (
	// grantsEvery is how often the grants of the sessions are looked at, besides
	// when the accounts service tells that some have ended.
	grantsEvery = 5 * time.Second
	// grantsLimit bounds one look.
	grantsLimit = 10 * time.Second
	// maxGrants is how many CheckGrants takes at a time.
	maxGrants = 1000
)

// watchGrants cuts sessions off whose grant has ended, until ctx ends.
func (k *Keeper) watchGrants(ctx context.Context) {
	told := make(chan struct{}, 1)
	subscription, err := k.parts.Bus.Subscribe(accounts.GrantsSubject, func(*nats.Msg) {
		select {
		case told <- struct{}{}:
		default:
		}
	})
	if err != nil {
		k.parts.Logger.Error("nobody tells of grants that have ended; they are looked at all the same", "every", grantsEvery, "error", err)
	} else {
		defer func() { _ = subscription.Unsubscribe() }() // or the connection has gone
	}
	tick := time.NewTicker(grantsEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-told:
		case <-ctx.Done():
			return
		}
		if err := k.checkGrants(ctx); err != nil && ctx.Err() == nil {
			k.parts.Logger.Warn("the grants of the sessions could not be looked at", "error", err)
		}
	}
}

// checkGrants cuts the sessions off whose grant has ended by now.
func (k *Keeper) checkGrants(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, grantsLimit)
	defer cancel()
	with := map[string][]*session{}
	for _, s := range k.all() {
		if grant := s.request.Identity.Grant; grant != "" {
			with[grant] = append(with[grant], s)
		}
	}
	for grants := range slices.Chunk(slices.Sorted(maps.Keys(with)), maxGrants) {
		ctx := bus.WithIdentity(ctx, bus.Identity{CommandID: uuid.NewString()})
		var answer accounts.EndedGrants
		if err := bus.Call(ctx, k.parts.Bus, accounts.CheckGrants.Info(), accounts.CheckGrantsRequest{Grants: grants}, &answer); err != nil {
			return err
		}
		for _, grant := range answer.Ended {
			for _, s := range with[grant] {
				s.end(k.whyUngranted(ctx, s))
			}
		}
	}
	return nil
}

// whyUngranted tells an account that was unlinked, whose event is recorded before
// its grants are told of, from a token that was revoked.
func (k *Keeper) whyUngranted(ctx context.Context, s *session) ended {
	past, err := k.parts.Log.Stream(ctx, event.AccountStream(s.request.Identity.AccountID))
	if err != nil {
		k.parts.Logger.Warn("why the grant of a session has ended is not known", "session", s.id, "error", err)
	}
	for _, e := range past {
		if e.Type == event.TypeAccountUnlinked || e.Type == event.TypeAccountErased {
			return event.SessionUnlinked
		}
	}
	return event.SessionRevoked
}
