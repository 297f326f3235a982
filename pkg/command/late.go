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

// mayBeTwice refuses a command whose effect may be there already: an earlier
// command of the same content can still have its own. It is asked while the
// command holds the lease: one that was in doubt before is settled by then.
func (r Recorder) mayBeTwice(ctx context.Context, c *Command) error {
	earlier, err := r.Register.lateEffect(ctx, c.ID, c.content)
	switch {
	case err != nil:
		return &contracts.Error{
			Kind: contracts.Unavailable, Message: "whether the same is still under way could not be looked up", RetryAfter: time.Second, Err: err,
		}
	case earlier == nil || c.risk == earlier.ID:
		return nil
	}
	return &contracts.Error{
		Kind: contracts.Busy, RetryAfter: max(earlier.Left, time.Minute),
		Message: fmt.Sprintf("the same was asked for before by command %s, of which the application showed no %s by %s and may still carry it out; "+
			"until %s it is looked for, and the same request is refused, unless it comes with the header %s: %s",
			earlier.ID, thing(c.Operation.Effect), clock(earlier.Since), clock(earlier.Until), contracts.DuplicateRiskHeader, earlier.ID),
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

// notShown is what the caller is told of a command that ended without an effect,
// as far as anybody knows.
func notShown(d *Doubt, v Verdict, now time.Time) string {
	what := thing(d.story.accepted.Effect)
	if v.By != event.ByFlow {
		return fmt.Sprintf("the command broke off; by %s it was found, by looking at the application, that its %s had not come about", clock(now), what)
	}
	told := fmt.Sprintf("the command broke off; the application showed no %s of it by %s", what, clock(now))
	if len(v.ChecksAfter) == 0 {
		return told
	}
	last := v.ChecksAfter[len(v.ChecksAfter)-1]
	return fmt.Sprintf("%s, and is looked at again until %s, as it may be late; to do the same before then, send it with the header %s: %s",
		told, clock(now.Add(last)), contracts.DuplicateRiskHeader, d.ID)
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
