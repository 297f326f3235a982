package integration

import (
	"errors"
	"slices"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/vault"
)

// stale are the events after which what is kept warm of an account does not hold
// any more: it is linked no longer, a session has changed its state, or an effect
// in doubt may have left something in it.
var stale = []string{event.TypeAccountUnlinked, event.TypeAccountErased, event.TypeSessionClosed, event.TypeEffectUnknown}

// forgetStale has the browsers drop what they keep warm of an account as soon as
// the event log tells such an event, and the vault the key of one that was
// erased, until stop is called. The token of an account that is unlinked has
// stopped working before that; commands under way go on to their end.
func forgetStale(nc *nats.Conn, integration string, browsers *browser.Pool, v *vault.Vault) (stop func() error, err error) {
	var subscriptions []*nats.Subscription
	stop = func() (err error) {
		for _, s := range subscriptions {
			err = errors.Join(err, s.Unsubscribe())
		}
		return err
	}
	for _, e := range []event.Event{{Type: "account.*"}, {Type: event.TypeSessionClosed, Operation: "*"}, {Type: event.TypeEffectUnknown, Operation: "*"}} {
		e.Integration = integration
		subscription, err := nc.Subscribe(e.Subject(), func(msg *nats.Msg) {
			e, err := event.Decode(msg.Subject, msg.Header, msg.Data)
			if err == nil && slices.Contains(stale, e.Type) {
				browsers.Forget(e.Account)
			}
			if err == nil && e.Type == event.TypeAccountErased {
				v.ForgetKey(e.Account)
			}
		})
		if err != nil {
			return nil, errors.Join(err, stop())
		}
		subscriptions = append(subscriptions, subscription)
	}
	return stop, nil
}
