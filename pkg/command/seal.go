package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/vault"
)

// What an event has room for, in bytes. Whatever does not fit is left out or
// cut: an end that could not be recorded would keep its user's lease for ever.
const (
	maxResult  = event.MaxDataBytes - 32<<10 // of a request or a result, sealed; a quote beside it takes up to 17 KiB
	maxMessage = 2 << 10
)

// sealTimeout bounds the sealing of what a command's last events hold, so that
// there is time left to record them without.
const sealTimeout = settleTimeout / 2

// report is what the log holds of how a command ended, beside its result.
type report struct {
	created string          // the claim of what the effect has created; empty for nothing
	message string          // of an error, readable by everybody
	quote   json.RawMessage // the application's own words, sealed; nil when there are none
	partial json.RawMessage // what was read of the result all the same, sealed; nil for nothing
}

// defaultPatience is how long the end of a command waits for a vault that
// cannot be reached. After that it is recorded without what is sealed: an end
// that is not recorded keeps its user's lease.
const defaultPatience = time.Minute

// seal returns what the last events hold of how the command ended: the result,
// or what is told of the error. What cannot be sealed for good is left out. An
// error says that it can be tried again.
func (r Recorder) seal(ctx context.Context, c *Command, e ending) (rep report, result json.RawMessage, err error) {
	sealing, cancel := context.WithTimeout(ctx, sealTimeout)
	defer cancel()
	if e.err == nil {
		var unclaimed error
		rep.created, unclaimed = r.claim(sealing, c, c.identifier(e.result))
		result, err = r.sealResult(sealing, c.Account, e.result)
		err = errors.Join(unclaimed, err)
	} else {
		rep, err = r.report(sealing, c, contracts.AsError(e.err))
	}
	if err != nil && time.Since(c.begun)-e.took > cmp.Or(r.patience, defaultPatience) {
		err = nil
	}
	return rep, result, err
}

// report returns what may stand in the log of the error that ended a command. The
// application's own words can name a person, so they are sealed.
func (r Recorder) report(ctx context.Context, c *Command, e *contracts.Error) (rep report, err error) {
	rep.message = cut(e.Message)
	if e.Quotes {
		rep.message = "the application refused in words of its own, which only the caller is told"
		if c.Account != "" {
			rep.quote, err = r.sealValue(ctx, c.Account, cut(e.Message))
		}
	}
	if c.partial != nil && err == nil {
		rep.partial, err = r.sealValue(ctx, c.Account, c.partial)
	}
	return rep, err
}

// sealResult returns the result of an operation as the gateway answers it, with
// its sensitive fields sealed; nil for one that is too long to be kept.
func (r Recorder) sealResult(ctx context.Context, account string, result any) (json.RawMessage, error) {
	contracts.EmptyLists(result)
	if tooLong(result) { // sealing takes its time, and makes nothing shorter
		return nil, nil
	}
	return fit(r.Sealer.SealFields(ctx, account, result))
}

// tooLong says whether a result is too long to be kept, sealed or not.
func tooLong(result any) bool {
	var size length
	encoder := json.NewEncoder(&size)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(result) == nil && size > maxResult
}

// length counts what is written.
type length int

// Write counts the bytes.
func (l *length) Write(p []byte) (int, error) {
	*l += length(len(p))
	return len(p), nil
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
