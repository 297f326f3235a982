package vault

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/tink-crypto/tink-go/v2/prf"
	"gocloud.dev/secrets"
	"gocloud.dev/secrets/localsecrets" // base64key://

	"integration.gateway/pkg/schema"
)

// The errors that callers tell apart.
var (
	ErrNotFound = errors.New("no such secret")
	ErrClosed   = errors.New("the account takes no more secrets")
	ErrErased   = errors.New("the account is erased")
	ErrDamaged  = errors.New("sealed data does not open") // changed, moved, or sealed with another key
)

// Vault is an open vault. All methods may be called at once from any number of
// goroutines and processes.
type Vault struct {
	pool   *pgxpool.Pool
	keeper *secrets.Keeper
	keys   keys                    // unwrapped
	prf    atomic.Pointer[prf.Set] // of fingerprints, once it was needed
}

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates or updates the vault's tables.
func Migrate(ctx context.Context, databaseURL string) error {
	return schema.Apply(ctx, databaseURL, "vault_version", migrations)
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

// Close lets go of the keys and their keeper.
func (v *Vault) Close() error {
	v.keys.dropAll()
	return v.keeper.Close()
}

// ForgetKey drops what this process keeps of the key of an account that another
// one has erased. It is of no use any more, and would go by itself.
func (v *Vault) ForgetKey(account string) { v.keys.drop(account) }

// Put stores a secret of an account under a name, in place of an earlier one.
// It returns ErrClosed or ErrErased when the account is so, also when that
// happens meanwhile.
func (v *Vault) Put(ctx context.Context, account, name string, plaintext []byte) error {
	k, err := v.makeKey(ctx, account)
	if err != nil {
		return err
	}
	sealed, err := k.seal(plaintext, sealedSecret, name)
	if err != nil {
		return err
	}
	// The lock on the key's row makes CloseAccount and Erase come wholly before or after.
	stored, err := v.pool.Exec(ctx, `
		insert into secrets (account, name, sealed)
		select account, $2, $3 from account_keys where account = $1 and wrapped = $4 and closed_at is null for share
		on conflict (account, name) do update set sealed = excluded.sealed, updated_at = now()`,
		account, name, sealed, k.wrapped)
	if err != nil {
		return fmt.Errorf("store secret %s of account %s: %w", name, account, err)
	}
	if stored.RowsAffected() == 0 {
		return v.whyNotStored(ctx, account)
	}
	return nil
}

// whyNotStored returns the reason for which a closed or erased account's
// secret was not stored.
func (v *Vault) whyNotStored(ctx context.Context, account string) error {
	if _, err := v.findKey(ctx, account); err != nil {
		return err
	}
	return ErrClosed
}

// Get returns the secret that an account has under a name, ErrNotFound when
// there is none, ErrErased when the account is erased, or ErrDamaged.
func (v *Vault) Get(ctx context.Context, account, name string) ([]byte, error) {
	return v.get(ctx, "secrets", account, name)
}

// Age is how long ago a secret was stored last, by the database's clock alone.
// It returns ErrNotFound when there is none.
func (v *Vault) Age(ctx context.Context, account, name string) (time.Duration, error) {
	var seconds float64
	err := v.pool.QueryRow(ctx, `
		select extract(epoch from clock_timestamp() - updated_at)::float8 from secrets where account = $1 and name = $2`, account, name).Scan(&seconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, ErrNotFound
	}
	if err != nil {
		return 0, fmt.Errorf("read the age of secret %s of account %s: %w", name, account, err)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// get reads a secret from the table, or the part of it, that the login may read.
func (v *Vault) get(ctx context.Context, from, account, name string) ([]byte, error) {
	var wrapped, sealed []byte
	err := v.pool.QueryRow(ctx, `
		select k.wrapped, s.sealed
		from account_keys k left join `+from+` s on s.account = k.account and s.name = $2
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

// CloseAccount deletes the secrets of an account for good: a Put that comes
// later, from a command that was under way, is refused with ErrClosed. The key
// stays, so that what was sealed with SealFields still opens. An account that
// is closed already is not an error.
func (v *Vault) CloseAccount(ctx context.Context, account string) error {
	if _, err := v.makeKey(ctx, account); err != nil && !errors.Is(err, ErrErased) {
		return err // the row of the key is where it stands that the account is closed
	}
	return v.end(ctx, "close", account, `update account_keys set closed_at = coalesce(closed_at, now()) where account = $1`)
}

// Erase destroys the account's key and deletes its secrets, for ever: the
// account never gets a key again. An account that is unknown or erased already
// is not an error.
func (v *Vault) Erase(ctx context.Context, account string) error {
	defer v.keys.drop(account)
	return v.end(ctx, "erase", account, `
		insert into account_keys (account, erased_at) values ($1, now())
		on conflict (account) do update set wrapped = null, erased_at = coalesce(account_keys.erased_at, now())`)
}

// end changes the row of an account's key, which no Put gets past from then
// on, and deletes the account's secrets.
func (v *Vault) end(ctx context.Context, what, account, change string) error {
	err := pgx.BeginFunc(ctx, v.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, change, account); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `delete from secrets where account = $1`, account)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s account %s: %w", what, account, err)
	}
	return nil
}
