package gateway

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"

	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
)

// keyNamespace makes the ids of commands that were named with a key differ from
// all other UUIDs. It must never change: the ids in the event log come from it.
var keyNamespace = uuid.MustParse("b570432b-cd26-47a6-998d-0cec2e0a1a09")

// hasKey says whether a request names its command. That of a GET is not looked at.
func hasKey(r *http.Request) bool {
	return r.Method != http.MethodGet && len(r.Header.Values(contracts.IdempotencyKeyHeader)) > 0
}

// nameCommand returns the id of the command that a request stands for: that of
// its Idempotency-Key, where it has one. The same caller, account, operation and
// key give the same id at every gateway and for ever. The key itself is not
// logged, stored or sent on.
func nameCommand(r *http.Request, op contracts.Info, id bus.Identity) (string, error) {
	keys := r.Header.Values(contracts.IdempotencyKeyHeader)
	switch {
	case !hasKey(r):
		return id.CommandID, nil
	case !op.TakesKey():
		return "", invalid("%s is not taken here, since the answer is not kept; leave it out", contracts.IdempotencyKeyHeader)
	case len(keys) > 1 || !isKey(keys[0]):
		return "", invalid("%s must be given once, with 1 to %d visible ASCII characters and no spaces, such as a UUID",
			contracts.IdempotencyKeyHeader, contracts.MaxIdempotencyKey)
	}
	return keyedID(id.CallerID, id.AccountID, op.Integration, op.Name, keys[0]), nil
}

// acceptedRisk returns the id of the command whose effect the caller accepts to
// have twice; empty for none.
func acceptedRisk(r *http.Request, op contracts.Info) (string, error) {
	ids := r.Header.Values(contracts.DuplicateRiskHeader)
	switch {
	case len(ids) == 0:
		return "", nil
	case !op.TakesRisk():
		return "", invalid("%s is not taken here, since nothing is done that could be there twice; leave it out", contracts.DuplicateRiskHeader)
	case len(ids) > 1 || uuid.Validate(ids[0]) != nil || len(ids[0]) != len(uuid.Nil.String()):
		return "", invalid("%s must be given once, with the Command-Id of the command that may still be carried out", contracts.DuplicateRiskHeader)
	}
	return ids[0], nil
}

func isKey(text string) bool {
	if text == "" || len(text) > contracts.MaxIdempotencyKey {
		return false
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

// keyedID makes a UUID of version 8 (RFC 9562, section 5.8) of parts. Each goes
// in with its length, so that no two lists of parts look alike.
func keyedID(parts ...string) string {
	var data []byte
	for _, part := range parts {
		data = binary.AppendUvarint(data, uint64(len(part)))
		data = append(data, part...)
	}
	return uuid.NewHash(sha256.New(), keyNamespace, data, 8).String()
}
