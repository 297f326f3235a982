package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
)

// The same request comes from eight clients at once, at three instances: it is
// carried out once, and all of them get its answer.
func TestRequestThatIsRepeatedIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	var (
		carriedOut atomic.Int32
		clients    sync.WaitGroup
	)
	recorders := []command.Recorder{p.recorder(t), p.recorder(t), p.recorder(t)}
	answers := make(chan any, 8)
	for n := range cap(answers) {
		clients.Go(func() {
			result, err := q.send(t.Context(), recorders[n%len(recorders)], func(ctx context.Context, c *command.Command) (*order, error) {
				carriedOut.Add(1)
				return confirm(ctx, c)
			})
			if err != nil {
				t.Error(err)
			}
			answers <- result
		})
	}
	clients.Wait()
	close(answers)
	for answer := range answers {
		wantOrder(t, answer)
	}
	if n := carriedOut.Load(); n != 1 {
		t.Errorf("it was carried out %d times", n)
	}
	wantEvents(t, p, q.id, event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted)
}

// wantOrder wants the answer that confirm gives, with its personal data.
func wantOrder(t *testing.T, answer any) {
	t.Helper()
	var got order
	raw, err := json.Marshal(answer)
	if err == nil {
		err = json.Unmarshal(raw, &got)
	}
	if diff := cmp.Diff(order{ID: "7", Address: "12 Elm Street"}, got); diff != "" || err != nil {
		t.Errorf("%v, answer (-want +got):\n%s", err, diff)
	}
}

func never(t *testing.T) act {
	return func(context.Context, *command.Command) (*order, error) {
		t.Error("a repeated request was carried out")
		return nil, nil
	}
}

// Whatever became of a command, a repeat is told the same, by an instance that
// was started later, too.
func TestRepeatIsAnsweredWithWhatIsStored(t *testing.T) {
	t.Parallel()
	tooLong := &order{ID: "7", Address: strings.Repeat("x", event.MaxDataBytes)}
	for name, c := range map[string]struct {
		act     act
		kind    contracts.Kind
		outcome contracts.Outcome
		says    string
	}{
		"a success":       {confirm, "", "", ""},
		"a refusal":       {refusals["refused at the effect"].act, contracts.Rejected, contracts.NothingDone, words + "; this is the stored answer"},
		"a wrong request": {fails(contracts.Invalid), contracts.Invalid, contracts.NothingDone, "; this is the stored answer"},
		"a missing thing": {fails(contracts.NotFound), contracts.NotFound, contracts.NothingDone, "; this is the stored answer"},
		"a lost account":  {fails(contracts.Unauthorized), contracts.Unauthorized, contracts.NothingDone, "; this is the stored answer"},
		"a doubt":         {breakOff, contracts.Unknown, contracts.NotKnown, "in doubt"},
		"a success whose result was not kept": {
			func(ctx context.Context, c *command.Command) (*order, error) { return tooLong, start(ctx, c) }, contracts.Unknown, contracts.Done, "not kept",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := newParts(t), newRequest()
			_, _ = q.send(t.Context(), p.recorder(t), c.act)
			before := types(p.events(t, q.id))
			result, err := q.send(t.Context(), p.recorder(t), never(t))
			if c.kind == "" {
				wantOrder(t, result)
			}
			if e := contracts.AsError(err); err == nil && c.kind != "" || err != nil &&
				(e.Kind != c.kind || e.Outcome != c.outcome || e.Final != (c.outcome != contracts.NotKnown) || !strings.Contains(e.Message, c.says) || e.Quotes != strings.Contains(e.Message, words)) {
				t.Errorf("got %+v", e)
			}
			if diff := cmp.Diff(before, types(p.events(t, q.id))); diff != "" {
				t.Errorf("events (-before +after):\n%s", diff)
			}
		})
	}
}

func TestRepeatOfACommandUnderWayWaits(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	finish := hold(t, p, q)
	r := p.recorder(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err := q.send(ctx, r, never(t))
	if e := contracts.AsError(err); e.Kind != contracts.Unknown || e.RetryAfter == 0 || !strings.Contains(e.Message, "under way") || e.Outcome != contracts.NotKnown {
		t.Errorf("got %v", err)
	}
	repeated := make(chan any, 1)
	go func() {
		result, err := q.send(t.Context(), r, never(t))
		if err != nil {
			t.Error(err)
		}
		repeated <- result
	}()
	if err := finish(); err != nil {
		t.Error(err)
	}
	wantOrder(t, <-repeated)
}

// The first attempt dies, and the repeat waits at the instance that has to end it.
func TestRepeatDoesNotKeepACommandFromItsRecovery(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	r := p.recorder(t)
	r.Log = &scripted{Log: p.log, steps: []step{unheard}}
	if _, err := q.send(t.Context(), r, never(t)); err == nil {
		t.Fatal("it was accepted")
	}
	repeated := make(chan error, 1)
	go func() {
		_, err := q.send(t.Context(), r, never(t))
		repeated <- err
	}()
	until(t, "it is ended", func() bool {
		sweep(t, r)
		return len(p.events(t, q.id)) == 2
	})
	e := contracts.AsError(<-repeated)
	if e.Kind != contracts.Unavailable || e.Outcome != contracts.NothingDone || e.Final {
		t.Errorf("got %+v", e)
	}
}

func TestKeyOfAnotherRequestIsRefused(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	r := p.recorder(t)
	if _, err := q.send(t.Context(), r, confirm); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*request)
		want   contracts.Kind
	}{
		"another item":               {func(q *request) { q.body = &orderRequest{Item: "coffee", Address: q.body.Address} }, contracts.Invalid},
		"another personal datum":     {func(q *request) { q.body = &orderRequest{Item: "tea", Address: "13 Elm Street"} }, contracts.Invalid},
		"an id of another caller":    {func(q *request) { q.caller = "caller-2" }, contracts.Fault},
		"an id of another account":   {func(q *request) { q.account = "account-2" }, contracts.Fault},
		"an id of another operation": {func(q *request) { q.op = fill }, contracts.Fault},
	} {
		other := q
		c.change(&other)
		result, err := other.send(t.Context(), r, never(t))
		if contracts.AsError(err).Kind != c.want || result != nil {
			t.Errorf("%s: got %v, %v", name, result, err)
		}
		if strings.Contains(fmt.Sprint(err), "Elm") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func (p parts) asSuperuser(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, p.url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

func TestRepeatOfWhatTheVaultCannotOpen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(ctx context.Context, p parts, account string) error
		want  contracts.Kind
	}{
		"the account is erased": {func(ctx context.Context, p parts, account string) error { return p.vault.Erase(ctx, account) }, contracts.Unauthorized},
		"its key is lost": {func(ctx context.Context, p parts, _ string) error {
			return p.asSuperuser(ctx, `DELETE FROM account_keys`)
		}, contracts.Fault},
		"the vault is away": {func(ctx context.Context, p parts, _ string) error {
			return p.asSuperuser(ctx, `ALTER TABLE account_keys RENAME TO away`)
		}, contracts.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := newParts(t), newRequest()
			r := p.recorder(t)
			if _, err := q.send(t.Context(), r, confirm); err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(t.Context(), p, q.account); err != nil {
				t.Fatal(err)
			}
			_, err := q.send(t.Context(), r, never(t))
			e := contracts.AsError(err)
			if e.Kind != c.want || (e.RetryAfter > 0) != (c.want == contracts.Unavailable) || e.Outcome == contracts.NothingDone {
				t.Errorf("got %+v", e)
			}
		})
	}
}
