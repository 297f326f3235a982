package vault_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/vault"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func newKeeperURL() string {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return "base64key://" + base64.URLEncoding.EncodeToString(key)
}

// bundle is a migrated database and vaults on it, as two processes would have.
// The vaults may do what the accounts service may, and no more.
type bundle struct {
	databaseURL string
	pool        *pgxpool.Pool // of the database's administrator
	keeperURL   string
	vault       *vault.Vault
	other       *vault.Vault // another instance on the same database
}

func setup(t testing.TB) *bundle {
	t.Helper()
	databaseURL := testenv.DatabaseURL(t)
	ctx := context.Background()
	if err := vault.Migrate(ctx, databaseURL); err != nil {
		t.Fatal(err)
	}
	b := &bundle{databaseURL: databaseURL, pool: newPool(t, databaseURL), keeperURL: newKeeperURL()}
	b.vault, b.other = b.open(t, b.keeperURL), b.open(t, b.keeperURL)
	return b
}

func newPool(t testing.TB, databaseURL string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(context.Background(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func (b *bundle) open(t testing.TB, keeperURL string) *vault.Vault {
	t.Helper()
	return b.openAs(t, schema.Accounts, keeperURL)
}

// openAs opens a vault that may do what a role may.
func (b *bundle) openAs(t testing.TB, role, keeperURL string) *vault.Vault {
	t.Helper()
	v, err := vault.Open(context.Background(), newPool(t, schema.As(b.databaseURL, role)), keeperURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Errorf("close the vault: %v", err)
		}
	})
	return v
}
