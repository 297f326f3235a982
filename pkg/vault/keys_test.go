package vault_test

import (
	"context"
	"errors"
	"net/url"
	"sync/atomic"
	"testing"

	"gocloud.dev/gcerrors"
	"gocloud.dev/secrets"
	"gocloud.dev/secrets/driver"

	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/vault"
)

// counted is a keeper, at counted:// in place of base64key://, that counts how
// often it decrypts.
type counted struct {
	*secrets.Keeper
	decrypted *atomic.Int32
}

func (c counted) Decrypt(ctx context.Context, text []byte) ([]byte, error) {
	c.decrypted.Add(1)
	return c.Keeper.Decrypt(ctx, text)
}

func (counted) ErrorAs(error, any) bool                { return false }
func (counted) ErrorCode(err error) gcerrors.ErrorCode { return gcerrors.Code(err) }

var _ driver.Keeper = counted{}

// OpenKeeperURL implements secrets.KeeperURLOpener.
func (c counted) OpenKeeperURL(ctx context.Context, u *url.URL) (*secrets.Keeper, error) {
	of := *u
	of.Scheme = "base64key"
	keeper, err := secrets.OpenKeeper(ctx, of.String())
	if err != nil {
		return nil, err
	}
	return secrets.NewKeeper(counted{keeper, c.decrypted}), nil
}

func TestKeyIsUnwrappedOnceForManyCalls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var decrypted atomic.Int32
	secrets.DefaultURLMux().RegisterKeeper("counted", counted{decrypted: &decrypted})
	u, err := url.Parse(b.keeperURL)
	if err != nil {
		t.Fatal(err)
	}
	u.Scheme = "counted"
	v := b.openAs(t, schema.Service, u.String())
	for range 5 {
		if err := v.Put(t.Context(), "ann", "state", []byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := v.Get(t.Context(), "ann", "state"); err != nil {
			t.Fatal(err)
		}
		sealed, err := v.SealValue(t.Context(), "ann", "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.OpenFields(t.Context(), "ann", sealed); err != nil {
			t.Fatal(err)
		}
	}
	if n := decrypted.Load(); n != 1 {
		t.Errorf("the keeper was called %d times, want 1", n)
	}

	// An erasure by another process holds at once all the same.
	sealed, err := v.SealValue(t.Context(), "ann", "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.other.Erase(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := v.OpenFields(t.Context(), "ann", sealed); !errors.Is(err, vault.ErrErased) {
		t.Errorf("open: got %v, want ErrErased", err)
	}
	if _, err := v.SealValue(t.Context(), "ann", "x"); !errors.Is(err, vault.ErrErased) {
		t.Errorf("seal: got %v, want ErrErased", err)
	}
	if err := v.Put(t.Context(), "ann", "state", []byte("x")); !errors.Is(err, vault.ErrErased) {
		t.Errorf("put: got %v, want ErrErased", err)
	}
}
