package vault

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gocloud.dev/secrets"
	"gocloud.dev/secrets/localsecrets" // base64key://

	"integration.gateway/pkg/schema"
)

// The errors that callers tell apart.
var (
	ErrNotFound = errors.New("no such secret")
	ErrErased   = errors.New("the account is erased")
	ErrDamaged  = errors.New("sealed data does not open") // changed, moved, or sealed with another key
)

// Vault is an open vault. All methods may be called at once from any number of
// goroutines and processes.
type Vault struct {
	pool   *pgxpool.Pool
	keeper *secrets.Keeper
}

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates or updates the vault's tables.
func Migrate(ctx context.Context, databaseURL string) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("vault migrations: %w", err)
	}
	return schema.Apply(ctx, databaseURL, "vault_version", files)
}

// Open opens the vault whose tables are in pool and whose key-encryption key
// keeperURL names. The pool stays the caller's; Close only lets go of the
// keeper. Errors never show the URL, which may be the key itself.
func Open(ctx context.Context, pool *pgxpool.Pool, keeperURL string) (*Vault, error) {
	u, err := url.Parse(keeperURL)
	if err != nil || u.Scheme == "" {
		return nil, errors.New("vault keeper (VAULT_KEEPER_URL): not a URL such as base64key://… (base64url of 32 random bytes)")
	}
	// The library takes an empty key as a wish for a random one, which would
	// lose every secret at the next start.
	if u.Scheme == localsecrets.Scheme && u.Host == "" {
		return nil, errors.New("vault keeper (VAULT_KEEPER_URL): base64key:// lacks its key, the base64url of 32 random bytes")
	}
	keeper, err := secrets.OpenKeeper(ctx, keeperURL)
	if err != nil {
		return nil, fmt.Errorf("vault keeper (VAULT_KEEPER_URL): a keeper of the kind %s cannot be opened with the rest of this URL", u.Scheme)
	}
	return &Vault{pool: pool, keeper: keeper}, nil
}

// Close lets go of the keeper.
func (v *Vault) Close() error { return v.keeper.Close() }

// Put stores a secret of an account under a name, in place of an earlier one.
// It returns ErrErased when the account is erased, also when that happens
// meanwhile.
func (v *Vault) Put(ctx context.Context, account, name string, plaintext []byte) error {
	k, err := v.makeKey(ctx, account)
	if err != nil {
		return err
	}
	sealed, err := k.seal(plaintext, sealedSecret, name)
	if err != nil {
		return err
	}
	// The lock on the key's row makes Erase come wholly before or after.
	stored, err := v.pool.Exec(ctx, `
		insert into secrets (account, name, sealed)
		select account, $2, $3 from account_keys where account = $1 and wrapped = $4 for share
		on conflict (account, name) do update set sealed = excluded.sealed, updated_at = now()`,
		account, name, sealed, k.wrapped)
	if err != nil {
		return fmt.Errorf("store secret %s of account %s: %w", name, account, err)
	}
	if stored.RowsAffected() == 0 {
		return ErrErased
	}
	return nil
}

// Get returns the secret that an account has under a name, ErrNotFound when
// there is none, ErrErased when the account is erased, or ErrDamaged.
func (v *Vault) Get(ctx context.Context, account, name string) ([]byte, error) {
	var wrapped, sealed []byte
	err := v.pool.QueryRow(ctx, `
		select k.wrapped, s.sealed
		from account_keys k left join secrets s on s.account = k.account and s.name = $2
		where k.account = $1`, account, name).Scan(&wrapped, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read secret %s of account %s: %w", name, account, err)
	}
	if wrapped != nil && sealed == nil {
		return nil, ErrNotFound
	}
	k, err := v.unwrap(ctx, account, wrapped)
	if err != nil {
		return nil, err
	}
	return k.open(sealed, sealedSecret, name)
}

// Forget deletes the secrets of an account and keeps its key, so that what was
// sealed with SealFields still opens. It is not an error if there are none.
func (v *Vault) Forget(ctx context.Context, account string) error {
	if _, err := v.pool.Exec(ctx, `delete from secrets where account = $1`, account); err != nil {
		return fmt.Errorf("delete the secrets of account %s: %w", account, err)
	}
	return nil
}

// Erase destroys the account's key and deletes its secrets, for ever: the
// account never gets a key again. An account that is unknown or erased already
// is not an error.
func (v *Vault) Erase(ctx context.Context, account string) error {
	err := pgx.BeginFunc(ctx, v.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into account_keys (account, erased_at) values ($1, now())
			on conflict (account) do update set wrapped = null, erased_at = coalesce(account_keys.erased_at, now())`, account)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `delete from secrets where account = $1`, account)
		return err
	})
	if err != nil {
		return fmt.Errorf("erase account %s: %w", account, err)
	}
	return nil
}
