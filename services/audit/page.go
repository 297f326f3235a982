package audit

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
)

// The number of entries in a part of a list.
const (
	defaultLimit = 100
	maxLimit     = 500
)

// answerBytes is how long the entries of an answer may be together, in JSON. A
// NATS message has 1 MiB, and one event may nearly fill it.
const answerBytes = 900 << 10

func limitOf(asked int) (int, error) {
	if asked == 0 {
		return defaultLimit, nil
	}
	if asked < 1 || asked > maxLimit {
		return 0, contracts.Errorf(contracts.Invalid, "query.limit must be between 1 and %d", maxLimit)
	}
	return asked, nil
}

// room is what is left of an answer's length.
type room struct{ left int }

// takes says whether an entry still has room, and if so takes it away.
func (r *room) takes(entry any) (bool, error) {
	encoded, err := json.Marshal(entry)
	if err != nil {
		return false, fmt.Errorf("encode an entry: %w", err)
	}
	if len(encoded) > r.left {
		return false, nil
	}
	r.left -= len(encoded) + len(",")
	return true, nil
}

// shown returns an event as answers have it. No writer can append data that
// is not JSON; where the database was tampered with, the rest is to be seen.
func shown(e event.Event) audit.Event {
	entry := audit.Event{
		Seq: e.Seq, ID: e.ID, Type: e.Type, Time: e.Time, Stream: e.Stream, Version: e.Version,
		Integration: e.Integration, Operation: e.Operation, CommandID: e.Command, CallerID: e.Caller, AccountID: e.Account,
		Data: e.Data, PrevHash: hex.EncodeToString(e.PrevHash), Hash: hex.EncodeToString(e.Hash),
	}
	if !json.Valid(e.Data) {
		return withoutData(entry)
	}
	return entry
}

// withoutData returns an event whose data cannot be in an answer.
func withoutData(e audit.Event) audit.Event {
	e.Data, e.DataLeftOut = nil, true
	return e
}
