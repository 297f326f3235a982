package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// erasedMember is the only member of the JSON object that ShowFields puts
// where a value of an erased account was.
const erasedMember = "erased"

// ShowFields returns the JSON in raw for somebody to read: with every sealed
// value in clear, as OpenFields does, or with {"erased":true} in its place when
// the account is erased. The rest of raw is as it was. It returns ErrNotFound
// when something is sealed for an account that this vault does not know, and
// ErrDamaged as OpenFields does.
func (v *Vault) ShowFields(ctx context.Context, account string, raw json.RawMessage) (json.RawMessage, error) {
	opened, err := v.OpenFields(ctx, account, raw)
	if !errors.Is(err, ErrErased) {
		return opened, err
	}
	tree, err := decodeTree(raw)
	if err != nil {
		return nil, fmt.Errorf("read a record to show its fields: %w", err)
	}
	shown, err := openTree(tree, func(string) (any, error) { return map[string]any{erasedMember: true}, nil })
	if err != nil {
		return nil, fmt.Errorf("show the fields of a record: %w", err)
	}
	return encodeTree(shown)
}
