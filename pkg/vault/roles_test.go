package vault_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/vault"
)

// refused says whether a statement failed for want of a right.
func refused(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "42501"
}

// try runs a statement and takes back what it did.
func try(t *testing.T, pool *pgxpool.Pool, statement string) error {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	_, err = tx.Exec(t.Context(), statement)
	return err
}

func TestEachRoleMayDoItsPartInTheVault(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const s, a, k, u = schema.Service, schema.Accounts, schema.Keeper, schema.Auditor
	roles := map[string]*pgxpool.Pool{}
	for _, role := range []string{s, a, k, u} {
		roles[role] = newPool(t, schema.As(b.databaseURL, role))
	}
	for statement, allowed := range map[string][]string{
		`select * from account_keys`: {s, a, k},
		`insert into account_keys (account, wrapped) values ('new', '\x00') on conflict do nothing`:   {s, a},
		`insert into account_keys (account, erased_at) values ('gone', now()) on conflict do nothing`: {a},
		`select from account_keys for share`:                        {s, a},
		`update account_keys set wrapped = null, erased_at = now()`: {a},
		`update account_keys set closed_at = now()`:                 {a},
		`update account_keys set account = 'other'`:                 {},
		`delete from account_keys`:                                  {},
		`truncate account_keys cascade`:                             {},

		`select * from secrets`: {s, a},
		`insert into secrets (account, name, sealed) select account, 'n', '\x00' from account_keys on conflict do nothing`: {s, a},
		`update secrets set sealed = '\x00', updated_at = now()`:                                                           {s, a},
		`update secrets set account = 'other'`:                                                                             {},
		`update secrets set name = 'other'`:                                                                                {},
		`delete from secrets`:                                                                                              {a},
		`truncate secrets`:                                                                                                 {},

		`select * from vault_version`:             {},
		`update vault_version set version = 0`:    {},
		`alter table secrets disable trigger all`: {},
		`drop table secrets`:                      {},
		`create table mine (n int)`:               {},
	} {
		for role, pool := range roles {
			err := try(t, pool, statement)
			if want := slices.Contains(allowed, role); err != nil && !refused(err) || refused(err) == want {
				t.Errorf("%s: %s: got %v, allowed: %t", role, statement, err, want)
			}
		}
	}
}

func TestServicesKeepSecretsAndCannotEndAccounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.openAs(t, schema.Service, b.keeperURL)
	for range 2 { // made, and replaced
		if err := v.Put(t.Context(), "ann", "state", []byte("swordfish")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := v.Get(t.Context(), "ann", "state"); err != nil || string(got) != "swordfish" {
		t.Errorf("got %q, %v", got, err)
	}
	sealed, err := v.SealFields(t.Context(), "bob", person{Name: "Bob"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.OpenFields(t.Context(), "bob", sealed); err != nil {
		t.Error(err)
	}
	if err := v.CloseAccount(t.Context(), "ann"); !refused(err) {
		t.Errorf("close: got %v", err)
	}
	if err := v.Erase(t.Context(), "ann"); !refused(err) {
		t.Errorf("erase: got %v", err)
	}
	if _, err := b.vault.Get(t.Context(), "ann", "state"); err != nil {
		t.Errorf("the secret is gone: %v", err)
	}
}

func TestAuditServiceOpensFieldsAndReadsNoSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.openAs(t, schema.Keeper, b.keeperURL)
	sealed, err := b.vault.SealFields(t.Context(), "ann", person{Name: "Ann"})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.vault.Put(t.Context(), "ann", "credentials", []byte("swordfish")); err != nil {
		t.Fatal(err)
	}
	if _, err := v.OpenFields(t.Context(), "ann", sealed); err != nil {
		t.Error(err)
	}
	if _, err := v.Get(t.Context(), "ann", "credentials"); !refused(err) {
		t.Errorf("get: got %v", err)
	}
	if err := b.vault.Erase(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := v.OpenFields(t.Context(), "ann", sealed); !errors.Is(err, vault.ErrErased) {
		t.Errorf("after the erasure: got %v", err)
	}
}
