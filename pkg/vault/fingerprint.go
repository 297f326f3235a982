package vault

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
)

// fingerprintBytes is the length of a fingerprint: no two values share one.
const fingerprintBytes = 16

// Fingerprint returns a text that stands for parts where they may not be
// shown, such as a user name in the event log: the same for the same parts in
// every process of the installation, and different for any others. It is a
// pseudorandom function with a key of the installation's own, so that nobody
// without the vault finds the parts by guessing.
func (v *Vault) Fingerprint(ctx context.Context, parts ...string) (string, error) {
	set, err := v.fingerprints(ctx)
	if err != nil {
		return "", fmt.Errorf("make a fingerprint: %w", err)
	}
	sum, err := set.ComputePrimaryPRF(bind(parts...), fingerprintBytes)
	if err != nil {
		return "", fmt.Errorf("make a fingerprint: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sum), nil
}

// fingerprints returns the function that makes fingerprints. Its key is kept once
// it was read: unlike an account's, it is never destroyed. Those who ask before
// that read it each by themselves, so that nobody waits for another's read.
func (v *Vault) fingerprints(ctx context.Context) (*prf.Set, error) {
	if set := v.prf.Load(); set != nil {
		return set, nil
	}
	wrapped, err := v.fingerprintKey(ctx)
	if err != nil {
		return nil, err
	}
	handle, err := keyset.ReadWithContext(ctx, keyset.NewBinaryReader(bytes.NewReader(wrapped)), wrapping{v.keeper}, bind(fingerprintBinding))
	if err != nil {
		return nil, fmt.Errorf("unwrap the key of fingerprints (is VAULT_KEEPER_URL the one it was wrapped with?): %w", err)
	}
	set, err := prf.NewPRFSet(handle)
	if err != nil {
		return nil, err
	}
	v.prf.Store(set)
	return set, nil
}

// fingerprintBinding stands where an account's id does for its key.
const fingerprintBinding = "fingerprints of the installation"

// fingerprintKey returns the wrapped key, which the first process to ask makes.
func (v *Vault) fingerprintKey(ctx context.Context) (wrapped []byte, err error) {
	err = v.pool.QueryRow(ctx, `select wrapped from fingerprint_key`).Scan(&wrapped)
	if !errors.Is(err, pgx.ErrNoRows) {
		return wrapped, err
	}
	handle, err := keyset.NewHandle(prf.HMACSHA256PRFKeyTemplate())
	if err != nil {
		return nil, err
	}
	var fresh bytes.Buffer
	err = handle.WriteWithContext(ctx, keyset.NewBinaryWriter(&fresh), wrapping{v.keeper}, bind(fingerprintBinding))
	if err != nil {
		return nil, err
	}
	if _, err := v.pool.Exec(ctx, `insert into fingerprint_key (wrapped) values ($1) on conflict do nothing`, fresh.Bytes()); err != nil {
		return nil, err
	}
	err = v.pool.QueryRow(ctx, `select wrapped from fingerprint_key`).Scan(&wrapped)
	return wrapped, err
}
