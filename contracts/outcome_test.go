package contracts_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
)

// Each error says what became of the request, and whether to send it again, with
// which key and when.
func TestAdviseSaysWhatToDo(t *testing.T) {
	t.Parallel()
	write := contracts.Info{Name: "buy", Method: http.MethodPost, Effect: contracts.Order}
	read := contracts.Info{Name: "search", Method: http.MethodGet}
	admin := contracts.Info{Name: "link", Method: http.MethodPost, Effect: contracts.Record, Access: contracts.AdminToken}
	const keyed, bare = true, false
	for _, c := range []struct {
		e       contracts.Error
		op      contracts.Info
		keyed   bool
		outcome contracts.Outcome
		says    string
		after   time.Duration
	}{
		{
			contracts.Error{Kind: contracts.Busy, RetryAfter: 1500 * time.Millisecond, Outcome: contracts.NotBegun},
			write, keyed, contracts.NotBegun,
			"this request was not begun: send it again with the same Idempotency-Key, after 2 s", 1500 * time.Millisecond,
		},
		{
			contracts.Error{Kind: contracts.Busy, Outcome: contracts.NotBegun},
			write, bare, contracts.NotBegun,
			"this request was not begun: send it again, after 1 s", time.Second,
		},
		{
			contracts.Error{Kind: contracts.Invalid, Outcome: contracts.NotBegun},
			write, keyed, contracts.NotBegun,
			"this request was not begun: once that has changed, send it again with the same Idempotency-Key", 0,
		},
		{
			contracts.Error{Kind: contracts.Invalid, Outcome: contracts.NotBegun, Final: true},
			write, keyed, contracts.NotBegun,
			"this request was not begun: once that has changed, send it with a new Idempotency-Key", 0,
		},
		{
			contracts.Error{Kind: contracts.Unavailable, Outcome: contracts.NothingDone},
			write, keyed, contracts.NothingDone,
			"nothing was done: send it again with the same Idempotency-Key, after 5 s", 5 * time.Second,
		},
		{
			contracts.Error{Kind: contracts.Unavailable, Outcome: contracts.NothingDone, Final: true},
			write, keyed, contracts.NothingDone,
			"nothing was done: to try again, use a new Idempotency-Key", 0,
		},
		{
			contracts.Error{Kind: contracts.Rejected, Final: true},
			write, keyed, contracts.NothingDone,
			"nothing was done: once that has changed, send it with a new Idempotency-Key", 0,
		},
		{
			contracts.Error{Kind: contracts.Rejected},
			write, bare, contracts.NothingDone,
			"nothing was done: once that has changed, send it again", 0,
		},
		{
			contracts.Error{Kind: contracts.Unavailable},
			write, keyed, contracts.NotKnown,
			"whether it was done is not known: send it again with the same Idempotency-Key and no other, after 5 s", 5 * time.Second,
		},
		{
			contracts.Error{Kind: contracts.Unknown, RetryAfter: time.Second},
			write, bare, contracts.NotKnown,
			"whether it was done is not known: do not send it again before you know; look it up at GET /admin/v1/commands/c1", 0,
		},
		{
			contracts.Error{Kind: contracts.Unknown, Outcome: "an outcome of tomorrow"},
			write, keyed, contracts.NotKnown,
			"whether it was done is not known: send it again with the same Idempotency-Key and no other, after 2 s", 2 * time.Second,
		},
		{
			contracts.Error{Kind: contracts.Unknown, Outcome: contracts.Done},
			write, keyed, contracts.Done,
			"it was done: send it again with the same Idempotency-Key and no other, to get its result, after 2 s", 2 * time.Second,
		},
		{
			contracts.Error{Kind: contracts.Unknown, Outcome: contracts.Done, Final: true},
			write, keyed, contracts.Done,
			"it was done: do not send it again; look it up at GET /admin/v1/commands/c1", 0,
		},
		{contracts.Error{Kind: contracts.Fault}, read, bare, contracts.NothingDone, "send it again, after 10 s", 10 * time.Second},
		{contracts.Error{Kind: contracts.Fault, Final: true}, read, bare, contracts.NothingDone, "once that has changed, send it again", 0},
		{contracts.Error{Kind: contracts.NotFound}, read, bare, contracts.NothingDone, "once that has changed, send it again", 0},
		{
			contracts.Error{Kind: contracts.Fault},
			admin, bare, contracts.NotKnown,
			"whether it was done is not known: do not send it again before you know; look at what is there", 0,
		},
		{
			contracts.Error{Kind: contracts.Unavailable, RetryAfter: time.Second},
			admin, bare, contracts.NotKnown,
			"whether it was done is not known: send it again, after 1 s", time.Second,
		},
	} {
		for message, want := range map[string]string{
			"it is so":  "it is so; " + c.says,
			"It is so.": "It is so. " + strings.ToUpper(c.says[:1]) + c.says[1:] + ".",
		} {
			c.e.Message = message
			got := c.e.Advise(c.op, c.keyed, "c1")
			if want := (contracts.Advice{Outcome: c.outcome, Message: want, RetryAfter: c.after}); got != want {
				t.Errorf("%+v of %s:\n got %+v\nwant %+v", c.e, c.op.Name, got, want)
			}
		}
	}
}

func TestResultWithAStatusSaysWhetherItWasDone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		result any
		want   contracts.Outcome
	}{
		{&contracts.StatusResult{Status: contracts.StatusOK}, contracts.Done},
		{&contracts.StatusResult{Status: contracts.StatusError}, contracts.NothingDone},
		{&contracts.Session{Status: contracts.StatusError}, contracts.NothingDone},
		{&struct{ Status string }{"error"}, contracts.Done}, // such as a lead's
		{&[]string{"a"}, contracts.Done},
	} {
		if got := contracts.OutcomeOfResult(c.result); got != c.want {
			t.Errorf("%+v: %s", c.result, got)
		}
	}
}
