package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/vault"
)

// What an event has room for, in bytes. Whatever does not fit is left out or
// cut: an end that could not be recorded would keep its account for ever.
const (
	maxResult  = event.MaxDataBytes - 16<<10 // of a request or a result, sealed
	maxMessage = 2 << 10
)

// sealTimeout bounds the sealing of what a command's last events hold, so that
// there is time left to record them without.
const sealTimeout = settleTimeout / 2

// told is what the log is told of an error.
type told struct {
	message string          // readable by everybody
	quote   json.RawMessage // the application's own words, sealed; nil when there are none
	partial json.RawMessage // what was read of the result all the same, sealed; nil for nothing
}

// seal returns what the last events hold of how the command ended: the result,
// or what is told of the error. What cannot be sealed is left out, as once the
// account was erased meanwhile: the caller gets it all the same, and that the
// command ended is recorded.
func (r Recorder) seal(ctx context.Context, c *Command, e ending) (t told, result json.RawMessage) {
	ctx, cancel := context.WithTimeout(ctx, sealTimeout)
	defer cancel()
	if e.err == nil {
		result, _ = r.sealResult(ctx, c.Account, e.result)
		return told{}, result
	}
	t = r.told(ctx, c, contracts.AsError(e.err))
	if c.partial != nil {
		t.partial, _ = r.sealValue(ctx, c.Account, c.partial)
	}
	return t, nil
}

// told returns what may stand in the log of the error that ended a command. The
// application's own words can name a person, so they are sealed.
func (r Recorder) told(ctx context.Context, c *Command, e *contracts.Error) told {
	message := cut(e.Message)
	if !e.Quotes {
		return told{message: message}
	}
	withheld := told{message: "the application refused in words of its own, which only the caller is told"}
	if c.Account != "" {
		withheld.quote, _ = r.sealValue(ctx, c.Account, message)
	}
	return withheld
}

// sealResult returns the result of an operation as the gateway answers it, with
// its sensitive fields sealed; nil for one that is too long to be kept.
func (r Recorder) sealResult(ctx context.Context, account string, result any) (json.RawMessage, error) {
	contracts.EmptyLists(result)
	return fit(r.Sealer.SealFields(ctx, account, result))
}

// sealValue returns the whole of v sealed; nil for one that is too long.
func (r Recorder) sealValue(ctx context.Context, account string, v any) (json.RawMessage, error) {
	return fit(r.Sealer.SealValue(ctx, account, v))
}

// fit leaves out what an event has no room for. An account that is erased is no
// error: what is to be kept of it is nothing.
func fit(sealed json.RawMessage, err error) (json.RawMessage, error) {
	switch {
	case errors.Is(err, vault.ErrErased):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("seal what became of the command: %w", err)
	case len(sealed) > maxResult:
		return nil, nil
	}
	return sealed, nil
}

// cut shortens a message that is too long.
func cut(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + "…"
}
