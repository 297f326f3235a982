// Package signin keeps, in the event log's database, what all processes must
// know when they sign users in to applications: who does so at present, which
// passwords were refused, and which one-time codes were typed.
//
// Users, passwords and secrets are named by their fingerprints only. No
// transaction is open while a browser works.
package signin

import (
	"context"
	"embed"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts"
	"integration.gateway/pkg/schema"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates or updates the tables, in the database of the event log.
func Migrate(ctx context.Context, databaseURL string) error {
	return schema.Apply(ctx, databaseURL, "signin_version", migrations)
}

// Register is what an instance knows of sign-ins, with all others.
type Register struct {
	pool     *pgxpool.Pool
	instance func() string // the id of this one, at present
}

// New returns the register in the event log's database, for an instance.
func New(pool *pgxpool.Pool, instance func() string) *Register {
	return &Register{pool: pool, instance: instance}
}

const (
	// turnLimit is how long a turn lasts at most: longer than any operation.
	turnLimit = 3 * time.Minute
	// turnMargin is for what a sign-in stores once its own time is over.
	turnMargin = 10 * time.Second
	// recordLimit bounds what is recorded of a sign-in when its own time is over.
	recordLimit = 2 * time.Second

	firstPause   = 20 * time.Millisecond // between two requests for a turn
	longestPause = 250 * time.Millisecond
)

// Turn waits until nobody else signs a user in, in whatever process, and keeps
// the others from it until done is called. The turn of a process that dies ends
// with the lease of its instance. It fails when ctx ends.
func (r *Register) Turn(ctx context.Context, user string) (done func(), err error) {
	holder := uuid.NewString()
	pause := &backoff.ExponentialBackOff{InitialInterval: firstPause, MaxInterval: longestPause, Multiplier: 2}
	for {
		granted, err := r.take(ctx, user, holder)
		switch {
		case ctx.Err() != nil:
			r.giveBack(ctx, user, holder) // nobody knows whether it was granted
			return nil, fmt.Errorf("wait for the turn to sign in: %w", context.Cause(ctx))
		case err != nil:
			return nil, unavailable(err)
		case granted:
			return func() { r.giveBack(ctx, user, holder) }, nil
		}
		select {
		case <-time.After(pause.NextBackOff()):
		case <-ctx.Done():
		}
	}
}

func (r *Register) take(ctx context.Context, user, holder string) (granted bool, err error) {
	lasts := turnLimit
	if end, limited := ctx.Deadline(); limited {
		lasts = min(lasts, time.Until(end)+turnMargin)
	}
	// As in pkg/command, leases are held against the time of now(), which is before
	// the snapshot: one that is renewed later is not seen as expired.
	done, err := r.pool.Exec(ctx, `
		WITH old AS (DELETE FROM sign_in_turns WHERE who IN (
			SELECT who FROM sign_in_turns WHERE expires < now() - interval '1 hour' AND who <> $1 LIMIT 10 FOR UPDATE SKIP LOCKED))
		INSERT INTO sign_in_turns AS t (who, holder, instance, expires)
		VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
		ON CONFLICT (who) DO UPDATE SET holder = excluded.holder, instance = excluded.instance, expires = excluded.expires
		WHERE t.expires <= now() OR NOT EXISTS (SELECT FROM instances i WHERE i.id = t.instance AND i.expires > now())`,
		user, holder, r.instance(), lasts.Seconds())
	return done.RowsAffected() > 0, err
}

// giveBack ends a turn. One that cannot be given back expires by itself.
func (r *Register) giveBack(ctx context.Context, user, holder string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	_, _ = r.pool.Exec(ctx, `DELETE FROM sign_in_turns WHERE who = $1 AND holder = $2`, user, holder)
}

// refusalLasts is how long a refusal is remembered, in days.
const refusalLasts = 90

// Refused says whether an application has refused these credentials of an
// account before, so that they must not be tried again: enough of that, and it
// locks its user out. A person may have allowed one more try; see Retry.
func (r *Register) Refused(ctx context.Context, credentials, account string) (refused bool, err error) {
	err = r.pool.QueryRow(ctx, `
		WITH retry AS (DELETE FROM sign_in_retries WHERE account = $2 RETURNING account)
		SELECT EXISTS (SELECT FROM refused_passwords WHERE credentials = $1 AND refused_at > now() - make_interval(days => $3))
			AND NOT EXISTS (SELECT FROM retry)`, credentials, account, refusalLasts).Scan(&refused)
	if err != nil {
		return false, unavailable(err)
	}
	return refused, nil
}

// Refuse notes that an application has refused credentials, also when the
// command that tried them is over.
func (r *Register) Refuse(ctx context.Context, credentials string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	_, err := r.pool.Exec(ctx, `
		WITH old AS (DELETE FROM refused_passwords WHERE credentials IN (
			SELECT credentials FROM refused_passwords WHERE refused_at < now() - make_interval(days => $2) AND credentials <> $1
			ORDER BY refused_at LIMIT 100 FOR UPDATE SKIP LOCKED)),
		unused AS (DELETE FROM sign_in_retries WHERE asked_at < now() - make_interval(days => $2))
		INSERT INTO refused_passwords (credentials) VALUES ($1)
		ON CONFLICT (credentials) DO UPDATE SET refused_at = excluded.refused_at`, credentials, refusalLasts)
	return err
}

// Accept notes that an application has taken credentials.
func (r *Register) Accept(ctx context.Context, credentials string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	_, err := r.pool.Exec(ctx, `DELETE FROM refused_passwords WHERE credentials = $1`, credentials)
	return err
}

// Retry has an account's next sign-in try its password once more, though the
// application has refused it.
func Retry(ctx context.Context, pool *pgxpool.Pool, account string) error {
	_, err := pool.Exec(ctx, `INSERT INTO sign_in_retries (account) VALUES ($1) ON CONFLICT DO NOTHING`, account)
	if err != nil {
		return fmt.Errorf("allow account %s another sign-in: %w", account, err)
	}
	return nil
}

// unavailable is the error where the register cannot be asked: nobody is signed
// in without it.
func unavailable(err error) error {
	return &contracts.Error{
		Kind: contracts.Unavailable, RetryAfter: time.Second, Err: err,
		Message: "the account could not be reserved to sign in",
	}
}
