package vault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"integration.gateway/pkg/vault"
)

func TestSecretComesBackOnEveryInstanceAndIsSealedAtRest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rapid.Check(t, func(t *rapid.T) {
		account := "a" + rapid.StringMatching(`[a-z0-9 é:/]{0,20}`).Draw(t, "account")
		name := "n" + rapid.StringMatching(`[a-z0-9 é:/]{0,20}`).Draw(t, "name")
		secret := append([]byte("swordfish"), rapid.SliceOf(rapid.Byte()).Draw(t, "secret")...)
		if err := b.vault.Put(context.Background(), account, name, secret); err != nil {
			t.Fatal(err)
		}
		got, err := b.other.Get(context.Background(), account, name)
		if err != nil || !bytes.Equal(got, secret) {
			t.Fatalf("got %q, %v", got, err)
		}
	})
	var rows, plain int
	err := b.pool.QueryRow(t.Context(), `select count(*), count(*) filter (where position('swordfish'::bytea in sealed) > 0) from secrets`).Scan(&rows, &plain)
	if err != nil {
		t.Fatal(err)
	}
	if rows == 0 || plain > 0 {
		t.Errorf("of %d stored secrets %d are in clear", rows, plain)
	}
}

func TestEmptySecretIsASecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := b.vault.Put(t.Context(), "ann", "state", nil); err != nil {
		t.Fatal(err)
	}
	if got, err := b.vault.Get(t.Context(), "ann", "state"); err != nil || len(got) != 0 {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLaterPutReplacesTheSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, secret := range []string{"first", "second"} {
		if err := b.vault.Put(t.Context(), "ann", "state", []byte(secret)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := b.vault.Get(t.Context(), "ann", "state"); err != nil || string(got) != "second" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestMissingSecretIsNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := b.vault.Put(t.Context(), "ann", "credentials", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"bob", "credentials"}, {"ann", "state"}} {
		if _, err := b.vault.Get(t.Context(), c[0], c[1]); !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("%v: got %v, want ErrNotFound", c, err)
		}
	}
}

// A ciphertext that someone with access to the database moves elsewhere must
// not open there.
func TestMovedCiphertextDoesNotOpen(t *testing.T) {
	t.Parallel()
	for what, move := range map[string]string{
		"another name":                    `update secrets set sealed = (select sealed from secrets where account = 'ann' and name = 'password') where account = 'ann' and name = 'note'`,
		"another account":                 `update secrets set sealed = (select sealed from secrets where account = 'ann' and name = 'note') where account = 'bob'`,
		"another account with its key":    `update account_keys set wrapped = (select wrapped from account_keys where account = 'ann') where account = 'bob'`,
		"a byte changed":                  `update secrets set sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))`,
		"cut short":                       `update secrets set sealed = substring(sealed for 10)`,
		"account and name shifted by one": `update secrets set sealed = (select sealed from secrets where account = 'eann') where account = 'ann' and name = 'note'`,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for _, s := range [][2]string{{"ann", "note"}, {"ann", "password"}, {"bob", "note"}, {"eann", "not"}} {
				if err := b.vault.Put(t.Context(), s[0], s[1], []byte("secret of "+s[0])); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := b.pool.Exec(t.Context(), move); err != nil {
				t.Fatal(err)
			}
			account := "bob"
			if !strings.Contains(move, "account = 'bob'") {
				account = "ann"
			}
			if got, err := b.vault.Get(t.Context(), account, "note"); err == nil {
				t.Errorf("it opened as %q", got)
			}
		})
	}
}

func TestKeyMovedToAnotherAccountIsNotUsed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, account := range []string{"ann", "bob"} {
		if err := b.vault.Put(t.Context(), account, "state", []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	_, err := b.pool.Exec(t.Context(), `update account_keys set wrapped = (select wrapped from account_keys where account = 'ann') where account = 'bob'`)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.vault.Put(t.Context(), "bob", "state", []byte("x")); err == nil {
		t.Error("a secret of bob was sealed with ann's key: it would outlive the erasure of bob")
	}
}

func TestErasedAccountStaysErased(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	record := person{Name: "Jane Roe"}
	if err := b.vault.Put(ctx, "ann", "credentials", []byte("x")); err != nil {
		t.Fatal(err)
	}
	sealed, err := b.vault.SealFields(ctx, "ann", record)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // to erase twice is not an error
		if err := b.vault.Erase(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	checks := map[string]error{}
	checks["put"] = b.other.Put(ctx, "ann", "credentials", []byte("x"))
	_, checks["get"] = b.other.Get(ctx, "ann", "credentials")
	_, checks["get of a name that never was"] = b.other.Get(ctx, "ann", "state")
	_, checks["seal"] = b.other.SealFields(ctx, "ann", record)
	_, checks["open"] = b.other.OpenFields(ctx, "ann", sealed)
	for what, err := range checks {
		if !errors.Is(err, vault.ErrErased) {
			t.Errorf("%s: got %v, want ErrErased", what, err)
		}
	}
	var left int
	if err := b.pool.QueryRow(ctx, `select count(*) from secrets`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d secrets are left, %v", left, err)
	}
}

func TestAccountErasedBeforeItsFirstUseNeverGetsAKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := b.vault.Erase(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if err := b.vault.Put(t.Context(), "ann", "state", []byte("x")); !errors.Is(err, vault.ErrErased) {
		t.Errorf("got %v, want ErrErased", err)
	}
}

func TestPutsThatRaceAnErasureLeaveNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 20 {
		account := fmt.Sprint("account-", i)
		var calls sync.WaitGroup
		for _, v := range []*vault.Vault{b.vault, b.other} {
			calls.Go(func() {
				if err := v.Put(t.Context(), account, "state", []byte("x")); err != nil && !errors.Is(err, vault.ErrErased) {
					t.Errorf("put: %v", err)
				}
			})
		}
		calls.Go(func() {
			if err := b.vault.Erase(t.Context(), account); err != nil {
				t.Errorf("erase: %v", err)
			}
		})
		calls.Wait()
	}
	var left int
	if err := b.pool.QueryRow(t.Context(), `select count(*) from secrets`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d secrets are left, %v", left, err)
	}
}

func TestClosedAccountHasNoSecretsAndKeepsItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	if err := b.vault.Put(ctx, "ann", "credentials", []byte("x")); err != nil {
		t.Fatal(err)
	}
	sealed, err := b.vault.SealFields(ctx, "ann", person{Name: "Jane Roe"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // to close twice is not an error
		if err := b.vault.CloseAccount(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.vault.Get(ctx, "ann", "credentials"); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	if _, err := b.vault.OpenFields(ctx, "ann", sealed); err != nil {
		t.Errorf("sealed fields do not open: %v", err)
	}
	if err := b.other.Put(ctx, "ann", "state", []byte("x")); !errors.Is(err, vault.ErrClosed) {
		t.Errorf("put: got %v, want ErrClosed", err)
	}
	if err := b.vault.CloseAccount(ctx, "bob"); err != nil { // who has no key yet
		t.Fatal(err)
	}
	if err := b.other.Put(ctx, "bob", "state", []byte("x")); !errors.Is(err, vault.ErrClosed) {
		t.Errorf("put: got %v, want ErrClosed", err)
	}
	if err := b.vault.Erase(ctx, "ann"); err != nil {
		t.Fatal(err)
	}
	if err := b.vault.CloseAccount(ctx, "ann"); err != nil {
		t.Errorf("close an erased account: %v", err)
	}
	if err := b.other.Put(ctx, "ann", "state", []byte("x")); !errors.Is(err, vault.ErrErased) {
		t.Errorf("put into a closed and erased account: got %v, want ErrErased", err)
	}
}

func TestConcurrentFirstUseMakesOneKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var calls sync.WaitGroup
	for i := range 16 {
		v := []*vault.Vault{b.vault, b.other}[i%2]
		calls.Go(func() {
			if err := v.Put(t.Context(), "ann", strconv.Itoa(i), []byte("x")); err != nil {
				t.Errorf("put %d: %v", i, err)
			}
		})
	}
	calls.Wait()
	for i := range 16 {
		if _, err := b.vault.Get(t.Context(), "ann", strconv.Itoa(i)); err != nil {
			t.Errorf("get %d: %v", i, err)
		}
	}
}

func TestAnotherKeyEncryptionKeyOpensNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := b.vault.Put(t.Context(), "ann", "credentials", []byte("x")); err != nil {
		t.Fatal(err)
	}
	stranger := b.open(t, newKeeperURL())
	if _, err := stranger.Get(t.Context(), "ann", "credentials"); err == nil || !strings.Contains(err.Error(), "VAULT_KEEPER_URL") {
		t.Errorf("got %v, want an error that names VAULT_KEEPER_URL", err)
	}
}

func TestOpenRefusesKeepersWithoutShowingTheURL(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, keeperURL := range []string{
		"", "c2VjcmV0", "base64key://", "base64key://c2VjcmV0", "base64key://c2VjcmV0%zz",
		newKeeperURL() + "?c2VjcmV0=1", "c2VjcmV0://c2VjcmV0", "awskms://c2VjcmV0",
	} {
		v, err := vault.Open(t.Context(), b.pool, keeperURL)
		if err == nil {
			t.Errorf("%q was opened", keeperURL)
			if err := v.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		if !strings.Contains(err.Error(), "VAULT_KEEPER_URL") || strings.Contains(err.Error(), "//c2V") {
			t.Errorf("%q: %v", keeperURL, err)
		}
	}
}

func TestMigrateTwiceKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := b.vault.Put(t.Context(), "ann", "credentials", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := vault.Migrate(t.Context(), b.pool.Config().ConnString()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.vault.Get(t.Context(), "ann", "credentials"); err != nil {
		t.Error(err)
	}
}
