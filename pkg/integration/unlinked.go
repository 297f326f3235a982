package integration

import (
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
)

// forgetUnlinked has the browsers drop what they keep warm of an account as
// soon as the event log tells that it is unlinked or erased. Its token has
// stopped working before that; commands under way go on to their end.
func forgetUnlinked(nc *nats.Conn, integration string, browsers *browser.Pool) (*nats.Subscription, error) {
	subject := event.Event{Integration: integration, Type: "account.*"}.Subject()
	return nc.Subscribe(subject, func(msg *nats.Msg) {
		e, err := event.Decode(msg.Subject, msg.Header, msg.Data)
		if err == nil && (e.Type == event.TypeAccountUnlinked || e.Type == event.TypeAccountErased) {
			browsers.Forget(e.Account)
		}
	})
}
