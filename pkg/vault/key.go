package vault

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
	"gocloud.dev/secrets"
)

// key is an account's key, unwrapped.
type key struct {
	account string
	wrapped []byte // as stored
	aead    tink.AEAD
}

// What is sealed; part of the data that a ciphertext is bound to.
const (
	sealedSecret = "secret"
	sealedField  = "field"
)

func (k *key) seal(plaintext []byte, binding ...string) ([]byte, error) {
	sealed, err := k.aead.Encrypt(plaintext, bind(append(binding, k.account)...))
	if err != nil {
		return nil, fmt.Errorf("seal for account %s: %w", k.account, err)
	}
	return sealed, nil
}

func (k *key) open(sealed []byte, binding ...string) ([]byte, error) {
	plaintext, err := k.aead.Decrypt(sealed, bind(append(binding, k.account)...))
	if err != nil {
		return nil, fmt.Errorf("%w for account %s", ErrDamaged, k.account)
	}
	return plaintext, nil
}

// bind makes associated data of parts. Each part's length stands before it, so
// that no two lists of parts give the same bytes.
func bind(parts ...string) []byte {
	var b []byte
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	return b
}

// makeKey returns the account's key and makes it at the first use. When
// several calls make it at once, the first one stored is the key of all.
func (v *Vault) makeKey(ctx context.Context, account string) (*key, error) {
	if account == "" {
		return nil, errors.New("vault: nothing is sealed without an account")
	}
	k, err := v.findKey(ctx, account)
	if !errors.Is(err, ErrNotFound) {
		return k, err
	}
	wrapped, err := v.newWrappedKey(ctx, account)
	if err != nil {
		return nil, err
	}
	_, err = v.pool.Exec(ctx, `insert into account_keys (account, wrapped) values ($1, $2) on conflict do nothing`, account, wrapped)
	if err != nil {
		return nil, fmt.Errorf("store the key of account %s: %w", account, err)
	}
	return v.findKey(ctx, account)
}

// findKey returns the account's key, ErrNotFound when there is none yet, or
// ErrErased.
func (v *Vault) findKey(ctx context.Context, account string) (*key, error) {
	var wrapped []byte
	err := v.pool.QueryRow(ctx, `select wrapped from account_keys where account = $1`, account).Scan(&wrapped)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of account %s: %w", account, err)
	}
	return v.unwrap(ctx, account, wrapped)
}

func (v *Vault) newWrappedKey(ctx context.Context, account string) ([]byte, error) {
	handle, err := keyset.NewHandle(aead.XChaCha20Poly1305KeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	var wrapped bytes.Buffer
	err = handle.WriteWithContext(ctx, keyset.NewBinaryWriter(&wrapped), wrapping{v.keeper}, bind(account))
	if err != nil {
		return nil, fmt.Errorf("wrap the key of account %s: %w", account, err)
	}
	return wrapped.Bytes(), nil
}

func (v *Vault) unwrap(ctx context.Context, account string, wrapped []byte) (*key, error) {
	if wrapped == nil {
		v.keys.drop(account)
		return nil, ErrErased
	}
	if k := v.keys.find(account, wrapped); k != nil {
		return k, nil
	}
	handle, err := keyset.ReadWithContext(ctx, keyset.NewBinaryReader(bytes.NewReader(wrapped)), wrapping{v.keeper}, bind(account))
	if err != nil {
		return nil, fmt.Errorf("unwrap the key of account %s (is VAULT_KEEPER_URL the one it was wrapped with?): %w", account, err)
	}
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("use the key of account %s: %w", account, err)
	}
	k := &key{account: account, wrapped: wrapped, aead: primitive}
	v.keys.keep(k)
	return k, nil
}

// wrapping lets tink wrap keysets with a keeper. Keepers know no associated
// data, so it is encrypted along with the keyset and compared when that opens.
type wrapping struct{ keeper *secrets.Keeper }

func (w wrapping) EncryptWithContext(ctx context.Context, plaintext, associatedData []byte) ([]byte, error) {
	return w.keeper.Encrypt(ctx, append(bytes.Clone(associatedData), plaintext...))
}

func (w wrapping) DecryptWithContext(ctx context.Context, ciphertext, associatedData []byte) ([]byte, error) {
	opened, err := w.keeper.Decrypt(ctx, ciphertext)
	if err != nil {
		return nil, err
	}
	plaintext, ok := bytes.CutPrefix(opened, associatedData)
	if !ok {
		return nil, errors.New("the wrapped key is another account's")
	}
	return plaintext, nil
}
