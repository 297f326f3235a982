package vault_test

import (
	"errors"
	"fmt"
	"testing"

	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/vault"
)

func TestPictureIsForWhoOpensFields(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, keeper := b.openAs(t, schema.Service, b.keeperURL), b.openAs(t, schema.Keeper, b.keeperURL)
	if err := service.PutPicture(t.Context(), "ann", "c1", []byte("a page")); err != nil {
		t.Fatal(err)
	}
	if got, err := keeper.Picture(t.Context(), "ann", "c1"); err != nil || string(got) != "a page" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := keeper.Get(t.Context(), "ann", vault.PictureName("c1")); !refused(err) {
		t.Errorf("as any secret: got %v", err)
	}
	if _, err := keeper.Picture(t.Context(), "bob", "c1"); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("of another account: got %v", err)
	}
}

func TestOnlyTheNewestPicturesOfAnAccountAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.openAs(t, schema.Service, b.keeperURL)
	if err := v.Put(t.Context(), "ann", "credentials", []byte("swordfish")); err != nil {
		t.Fatal(err)
	}
	if err := v.PutPicture(t.Context(), "bob", "c0", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for i := range 23 {
		if err := v.PutPicture(t.Context(), "ann", fmt.Sprint("c", i), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 23 {
		if _, err := v.Picture(t.Context(), "ann", fmt.Sprint("c", i)); i < 3 && !errors.Is(err, vault.ErrNotFound) || i >= 3 && err != nil {
			t.Errorf("picture %d: got %v", i, err)
		}
	}
	if _, err := v.Picture(t.Context(), "bob", "c0"); err != nil {
		t.Errorf("another account's picture: %v", err)
	}
	if _, err := v.Get(t.Context(), "ann", "credentials"); err != nil {
		t.Errorf("the credentials: %v", err)
	}
}

func TestPictureGoesWithItsAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(*vault.Vault) error
		want error
	}{
		"unlinked": {func(v *vault.Vault) error { return v.CloseAccount(t.Context(), "ann") }, vault.ErrNotFound},
		"erased":   {func(v *vault.Vault) error { return v.Erase(t.Context(), "ann") }, vault.ErrErased},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			v := b.openAs(t, schema.Service, b.keeperURL)
			if err := v.PutPicture(t.Context(), "ann", "c1", []byte("x")); err != nil {
				t.Fatal(err)
			}
			if err := c.end(b.vault); err != nil {
				t.Fatal(err)
			}
			if _, err := v.Picture(t.Context(), "ann", "c1"); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if err := v.PutPicture(t.Context(), "ann", "c2", []byte("x")); err == nil {
				t.Error("it takes another")
			}
			var left int
			if err := b.pool.QueryRow(t.Context(), `select count(*) from secrets`).Scan(&left); err != nil || left != 0 {
				t.Errorf("%d secrets are left, %v", left, err)
			}
		})
	}
}
