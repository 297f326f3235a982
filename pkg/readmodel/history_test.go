package readmodel

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

// history is a stream under way: what is still to be appended to it.
type history struct {
	stream  string
	version int64
	left    []event.Event
}

// newHistory draws a valid history of a command, a session or an account. Some
// have an event that newer writers know, or one that no fold can understand.
func newHistory(t *rapid.T) *history {
	// Ids of commands rise with time, or are hashes.
	id := rapid.SampledFrom([]uuid.UUID{uuid.Must(uuid.NewV7()), uuid.New()}).Draw(t, "id").String()
	h := &history{}
	var payloads []event.Payload
	switch kind := rapid.SampledFrom([]string{"command", "command", "command", "session", "account"}).Draw(t, "kind"); kind {
	case "command":
		h.stream, payloads = event.CommandStream(id), commandHistory(t)
	case "session":
		h.stream, payloads = event.SessionStream(id), sessionHistory(t)
	default:
		h.stream, payloads = event.AccountStream(id), accountHistory(t)
	}
	caller := rapid.SampledFrom([]string{"caller-1", "caller-2"}).Draw(t, "caller")
	for _, p := range payloads {
		e := of(t, p)
		e.Command, e.Caller, e.Account = id, caller, "account of "+caller
		h.left = append(h.left, e)
		if odd := rapid.IntRange(0, 40).Draw(t, "odd"); odd < 2 {
			h.left = append(h.left, raw([]string{"command.paused", event.TypeEffectStarted}[odd], `["PRIVATE"]`))
		}
	}
	return h
}

var texts = rapid.SampledFrom([]string{"", "sold out", "a\x00b", "\u2028 <ü> \"q\"", strings.Repeat("ö", 2000)})

func commandHistory(t *rapid.T) []event.Payload {
	failed := event.CommandCompleted{Outcome: event.Failed, Kind: contracts.Rejected, Message: texts.Draw(t, "message"), DurationMS: 7}
	succeeded := event.CommandCompleted{Outcome: event.Succeeded, Result: []byte(`{"orderId":"7"}`), DurationMS: 7}
	started := event.EffectStarted{Effect: contracts.Order}
	unknown := event.EffectUnknown{Message: texts.Draw(t, "message")}
	stories := [][]event.Payload{
		{},
		{event.CommandRejected{Kind: contracts.Busy, Message: texts.Draw(t, "message")}},
		{succeeded},
		{failed},
		{started},
		{started, event.EffectConfirmed{}, succeeded},
		{started, event.EffectNotApplied{Message: texts.Draw(t, "message")}, failed},
		{started, unknown},
		{started, unknown, event.EffectReconciled{Applied: true, By: event.ByFlow}, succeeded},
		{started, unknown, event.EffectReconciled{By: texts.Draw(t, "by")}, failed},
	}
	accepted := event.CommandAccepted{Request: []byte(`{"asin":{"sealed":"AA=="}}`), Site: texts.Draw(t, "site"), SiteHash: "5f70"}
	return append([]event.Payload{accepted}, stories[rapid.IntRange(0, len(stories)-1).Draw(t, "story")]...)
}

func sessionHistory(t *rapid.T) []event.Payload {
	payloads := []event.Payload{event.SessionOpened{Site: texts.Draw(t, "site"), Expires: start.Add(1234567)}}
	for range rapid.IntRange(0, 3).Draw(t, "attached") {
		payloads = append(payloads, event.SessionAttached{})
		if rapid.Bool().Draw(t, "detached") {
			payloads = append(payloads, event.SessionDetached{Purpose: event.Control, Seconds: 1.5})
		}
	}
	if rapid.Bool().Draw(t, "closed") {
		payloads = append(payloads, event.SessionClosed{Reason: texts.Draw(t, "reason")})
	}
	return payloads
}

func accountHistory(t *rapid.T) []event.Payload {
	payloads := []event.Payload{event.AccountLinked{}}
	for range rapid.IntRange(0, 3).Draw(t, "sign-ins") {
		if rapid.Bool().Draw(t, "signed in") {
			payloads = append(payloads, event.AccountSignedIn{Site: "sandbox"})
		} else {
			payloads = append(payloads, event.AccountNeedsSignIn{Site: "sandbox", Message: texts.Draw(t, "message")})
		}
	}
	if rapid.Bool().Draw(t, "unlinked") {
		payloads = append(payloads, event.AccountUnlinked{})
	}
	if rapid.Bool().Draw(t, "erased") {
		payloads = append(payloads, event.AccountErased{})
	}
	return payloads
}

// world is a set of histories that are appended side by side.
type world struct {
	*bundle
	open []*history
	rows map[string]int64 // begun streams, by kind
	logs int64            // events appended
}

// appendSome appends the next events of one history.
func (w *world) appendSome(ctx context.Context, t *rapid.T) {
	if len(w.open) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.open)-1).Draw(t, "which")
	h := w.open[i]
	n := rapid.IntRange(1, len(h.left)).Draw(t, "how many")
	w.append(ctx, t, h.stream, h.version, h.left[:n]...)
	if h.version == 0 {
		kind, _, _ := strings.Cut(h.stream, "/")
		w.rows[kind]++
	}
	h.version, h.left, w.logs = h.version+int64(n), h.left[n:], w.logs+int64(n)
	if len(h.left) == 0 {
		w.open = append(w.open[:i], w.open[i+1:]...)
	}
}

// check fails the test unless the comparison found all rows, and all alike.
func (w *world) check(t failer, c Comparison) {
	t.Helper()
	for _, m := range c.Models {
		if m.Live != w.rows[m.Model] || m.Rebuilt != w.rows[m.Model] {
			t.Fatalf("got %d and %d rows of %s, want %d", m.Live, m.Rebuilt, m.Model, w.rows[m.Model])
		}
	}
	if c.Seq != w.logs || c.Differing != 0 {
		t.Fatalf("at event %d of %d, %d rows differ: %s", c.Seq, w.logs, c.Differing, fmt.Sprint(c.Differences))
	}
}
