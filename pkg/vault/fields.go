package vault

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
)

// sealedMember is the only member of the JSON object that stands where a
// sealed value was.
const sealedMember = "sealed"

// SealFields returns the JSON of v in which every field that carries the
// struct tag sensitive:"true" has {"sealed":"<base64>"} as its value. The
// whole value of the field is sealed, be it a record or a list; null stays.
//
// What the types of v do not tell is sealed too: a value behind an interface,
// and an object or list that its type writes itself (json.RawMessage and other
// json.Marshalers). An account whose key is not needed may be empty.
func (v *Vault) SealFields(ctx context.Context, account string, value any) (json.RawMessage, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode a record to seal its fields: %w", err)
	}
	tree, err := decodeTree(encoded)
	if err != nil {
		return nil, fmt.Errorf("read back a record to seal its fields: %w", err)
	}
	var k *key
	sealed, err := walk(reflect.TypeOf(value), tree, func(plain any) (any, error) {
		if k == nil {
			if k, err = v.makeKey(ctx, account); err != nil {
				return nil, err
			}
		}
		return k.sealValue(plain)
	})
	if err != nil {
		return nil, fmt.Errorf("seal the fields of a %T: %w", value, err)
	}
	return encodeTree(sealed)
}

// SealValue returns {"sealed":"<base64>"} for the whole JSON of value, as a
// sensitive field of that value would have it. OpenFields opens it where it
// stands in a record. Null stays null.
func (v *Vault) SealValue(ctx context.Context, account string, value any) (json.RawMessage, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode a value to seal it: %w", err)
	}
	tree, err := decodeTree(encoded)
	if err != nil || tree == nil {
		return encoded, err
	}
	k, err := v.makeKey(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("seal a value: %w", err)
	}
	sealed, err := k.sealValue(tree)
	if err != nil {
		return nil, fmt.Errorf("seal a value: %w", err)
	}
	return encodeTree(sealed)
}

// OpenFields returns the JSON in raw with every sealed value in clear again.
// It returns ErrErased when something is sealed and the account is erased, and
// ErrDamaged when a value was sealed for another account or was changed.
func (v *Vault) OpenFields(ctx context.Context, account string, raw json.RawMessage) (json.RawMessage, error) {
	tree, err := decodeTree(raw)
	if err != nil {
		return nil, fmt.Errorf("read a record to open its fields: %w", err)
	}
	var k *key
	opened, err := openTree(tree, func(sealed string) (any, error) {
		if k == nil {
			if k, err = v.findKey(ctx, account); err != nil {
				return nil, err
			}
		}
		return k.openValue(sealed)
	})
	if err != nil {
		return nil, fmt.Errorf("open the fields of a record: %w", err)
	}
	return encodeTree(opened)
}

func (k *key) sealValue(plain any) (any, error) {
	encoded, err := encodeTree(plain)
	if err != nil {
		return nil, err
	}
	sealed, err := k.seal(encoded, sealedField)
	if err != nil {
		return nil, err
	}
	return map[string]any{sealedMember: base64.StdEncoding.EncodeToString(sealed)}, nil
}

func (k *key) openValue(sealed string) (any, error) {
	ciphertext, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: it is not base64", ErrDamaged)
	}
	encoded, err := k.open(ciphertext, sealedField)
	if err != nil {
		return nil, err
	}
	return decodeTree(encoded)
}

// openTree replaces each sealed value in tree. What was sealed is not searched
// again: SealFields never seals within a sealed value.
func openTree(tree any, open func(string) (any, error)) (any, error) {
	if sealed, ok := sealedIn(tree); ok {
		return open(sealed)
	}
	return mapTree(tree, func(_ string, child any) (any, error) { return openTree(child, open) })
}

// sealedIn returns the base64 of a sealed value, if tree is one.
func sealedIn(tree any) (sealed string, ok bool) {
	object, ok := tree.(map[string]any)
	if !ok || len(object) != 1 {
		return "", false
	}
	sealed, ok = object[sealedMember].(string)
	return sealed, ok
}

// mapTree replaces each member of an object and each element of a list by what
// f makes of it. Anything else stays. Elements of lists have no name.
func mapTree(tree any, f func(name string, child any) (any, error)) (any, error) {
	var err error
	switch tree := tree.(type) {
	case map[string]any:
		for name, child := range tree {
			if tree[name], err = f(name, child); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, child := range tree {
			if tree[i], err = f("", child); err != nil {
				return nil, err
			}
		}
	}
	return tree, nil
}

// decodeTree decodes one JSON value and keeps numbers as they are written.
func decodeTree(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("data after the JSON value")
	}
	return tree, nil
}

func encodeTree(tree any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tree); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
