package command

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

// What an application does not show it may still be about to do. So the verdict
// that there was no effect is provisional: the application is looked at again for
// a day, and until then nobody does the same thing again unknowingly.

// contentOf returns the fingerprint of what a command does: two commands of one
// user that have the same would do the same. It is empty for a read.
func (r Recorder) contentOf(ctx context.Context, c *Command, request any) (string, error) {
	if c.Operation.Effect == contracts.NoEffect || c.Account == "" {
		return "", nil
	}
	canonical, err := json.Marshal(request) // of a struct: its fields are in one order
	if err != nil {
		return "", err
	}
	return r.Sealer.Fingerprint(ctx, "content", string(c.Operation.Effect), c.Operation.Integration, c.Operation.Name, string(canonical))
}

// refuseDuplicate refuses a command whose effect may be there already: an earlier
// command of the same content can still have its own. It is asked while the
// command holds the lease: one that was in doubt before is settled by then. The
// earlier one is named to the account that it belongs to, and to no other.
func (r Recorder) refuseDuplicate(ctx context.Context, c *Command) error {
	earlier, err := r.Register.duplicate(ctx, c.ID, c.content)
	switch {
	case err != nil:
		return &contracts.Error{
			Kind: contracts.Unavailable, Message: "whether the same is still under way could not be looked up", RetryAfter: time.Second, Err: err,
		}
	case earlier == nil || c.risk == earlier.ID:
		return nil
	}
	by, unless := "through another account of the same user", ""
	if earlier.Own {
		by, unless = "by command "+earlier.ID, ", unless it comes with the header "+contracts.DuplicateRiskHeader+": "+earlier.ID
	}
	return &contracts.Error{
		Kind: contracts.Busy, RetryAfter: max(earlier.Left, time.Minute),
		Message: fmt.Sprintf("the same was asked for before %s; the application showed no %s of it by %s and may still carry it out; "+
			"%s, and as long as that lasts, the same request is refused%s",
			by, thing(c.Operation.Effect), clock(earlier.Since), earlier.search(), unless),
	}
}

// foundLate records that an effect has appeared after its command's end.
func (r Recorder) foundLate(ctx context.Context, c *Command, found event.EffectFoundLate) error {
	if err := c.record(ctx, found); err != nil {
		return err
	}
	if r.Late != nil {
		r.Late(c.ID)
	}
	return nil
}

// notApplied is what the log is told of a command that ended without an effect, as
// far as anybody knows.
func notApplied(d *Doubt, v Verdict, now time.Time) string {
	if v.By == event.ByFlow {
		return notShown(d.story, now)
	}
	return fmt.Sprintf("the command broke off; by %s it was found, by looking at the application, that its %s had not come about",
		clock(now), thing(d.story.accepted.Effect))
}

// notShown tells by when the application has not shown an effect.
func notShown(s story, by time.Time) string {
	return fmt.Sprintf("the command broke off; the application showed no %s of it by %s", thing(s.accepted.Effect), clock(by))
}

// search tells how long an effect is looked for.
func (a *awaited) search() string {
	if a.Left > 0 {
		return "it is looked for until " + clock(a.Until)
	}
	return "it was to be looked for until " + clock(a.Until) + ", which could not be done and is tried again"
}

// thing names what an effect makes.
func thing(effect contracts.Effect) string {
	switch effect {
	case contracts.Cart, contracts.Record:
		return "change of the " + string(effect)
	default:
		return string(effect)
	}
}

// clock shows a time to a caller.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func milliseconds(durations []time.Duration) []int64 {
	var all []int64
	for _, d := range durations {
		all = append(all, d.Milliseconds())
	}
	return all
}
