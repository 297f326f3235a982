package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

// What an effect has created has an identifier, such as an order's number. It
// belongs to one command: an application that answers with the order of another
// one, or with one that was there before the effect, has told nothing of this
// command. The event that tells of the effect holds the identifier's fingerprint,
// and the database refuses the one that another command has, by
// eventlog.ErrClaimed.

// errNotOwn is how the operation ended whose result is not its own.
var errNotOwn = &contracts.Error{
	Kind: contracts.Unknown,
	Message: "the application answered with what was there before, or belongs to another command, " +
		"so whether this command took effect is not known; look at the application before trying again",
}

// errNotEvidence says that a command cannot be settled by what was found.
var errNotEvidence = contracts.Errorf(contracts.Invalid,
	"what was found at the application was there before the command's effect, or belongs to another command, so it tells nothing; "+
		"look at the application, and say whether it happened")

// errAttended says that a command cannot be settled by what was found, since a
// person may have done it.
var errAttended = contracts.Errorf(contracts.Invalid,
	"what was found at the application does not name the command, and may have been done by hand in a session of the user that was open meanwhile; "+
		"look at the application, and say whether it happened, with igw command reconcile --applied or --not-applied")

// errAfterOthers says that what was found late may be another command's effect, and
// that no look can tell.
var errAfterOthers = contracts.Errorf(contracts.Invalid,
	"what was found at the application does not name the command, and may be what another command of the same user has done since; "+
		"look at the application, and say whether it happened, with igw command reconcile --applied")

// errBesideOthers says that what was found late may be another command's effect.
var errBesideOthers = &contracts.Error{
	Kind: contracts.Busy, RetryAfter: firstLook,
	Message: "what was found at the application does not name the command, and another command of the same user is about to do the same; " +
		"it is looked for again",
}

// identifier is that of what the command's effect has created, by the first of
// the given values that tells it: the result, or what was found in its stead. It
// is empty where the operation creates nothing, or nothing tells it.
func (c *Command) identifier(from ...any) (identifier string) {
	for _, v := range from {
		if c.Operation.Creates != "" && identifier == "" {
			identifier = valueAt(asJSON(v), c.Operation.Creates)
		}
	}
	return identifier
}

// isOld says whether what an identifier stands for was there before the effect.
func (c *Command) isOld(identifier string) bool {
	return identifier != "" && holds(asJSON(c.known), identifier)
}

// own is how the operation ended, once it is seen whether its result is that of
// this command's effect.
func (c *Command) own(result any, err error) (any, error) {
	if err == nil && c.started && c.isOld(c.identifier(result)) {
		return nil, errNotOwn
	}
	return result, err
}

// claim is what the event that tells of the effect holds of an identifier.
func (r Recorder) claim(ctx context.Context, c *Command, identifier string) (fingerprint string, err error) {
	if identifier == "" {
		return "", nil
	}
	return r.Sealer.Fingerprint(ctx, "created", cmp.Or(c.user, c.Account), string(c.Operation.Effect), c.Operation.Creates, identifier)
}

// proven returns the claim of a verdict that the effect happened, or why the
// verdict does not settle the command. A person's word always does.
func (r Recorder) proven(ctx context.Context, c *Command, d *Doubt, v Verdict) (claim string, err error) {
	c.Operation.Creates, c.known = v.Creates, d.Vars
	identifier := c.identifier(v.Result, d.Partial, v.Evidence)
	if v.By == event.ByFlow && !v.Named {
		if err := r.ownEvidence(ctx, d, identifier); err != nil {
			return "", err
		}
	}
	if c.isOld(identifier) {
		return "", errNotEvidence
	}
	return r.claim(ctx, c, identifier)
}

// ownEvidence returns an error where what was found without the command's id may be
// somebody else's doing. What has an identifier can be told from that of a command
// that has ended, which has claimed it.
func (r Recorder) ownEvidence(ctx context.Context, d *Doubt, identifier string) error {
	attended, err := r.Register.attended(ctx, d.ID)
	if err != nil {
		return err
	}
	if attended {
		return errAttended
	}
	if !d.Late { // others of its kind are kept back
		return nil
	}
	underWay, before, err := r.Register.besideOthers(ctx, d.ID)
	switch {
	case err != nil:
		return err
	case underWay:
		return errBesideOthers
	case before && identifier == "":
		return errAfterOthers
	}
	return nil
}

// asJSON returns v as its JSON has it, numbers as they are written; nil for
// what has none.
func asJSON(v any) (decoded any) {
	text, err := json.Marshal(v)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := errors.Join(err, decoder.Decode(&decoded)); err != nil {
		return nil
	}
	return decoded
}

// valueAt returns the text or number that a dotted name leads to; empty for none.
func valueAt(v any, name string) string {
	for segment := range strings.SplitSeq(name, ".") {
		record, _ := v.(map[string]any)
		v = record[segment]
	}
	return text(v)
}

// text is a text, or a number as it is written.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	}
	return ""
}

// holds says whether an identifier is one of the values of v.
func holds(v any, identifier string) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			if holds(inner, identifier) {
				return true
			}
		}
		return false
	case []any:
		for _, inner := range v {
			if holds(inner, identifier) {
				return true
			}
		}
		return false
	}
	return text(v) == identifier
}
