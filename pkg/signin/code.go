package signin

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// codePeriod is how long a one-time code is the current one (RFC 6238).
	codePeriod = 30 * time.Second
	// codeLeft is what a code must have left to reach the application in time.
	codeLeft = 2 * time.Second
	// codesAhead is how many codes of one secret can be claimed at a time.
	codesAhead = 20
	// codeTries bounds how often another process may be faster.
	codeTries = 5
)

// ClaimCode claims, of a secret, the first one-time code from the current one on
// that nobody has claimed, in whatever process: an application takes each code
// once. It is the code of the time at, and may be typed after wait; release it
// if it is not. Both follow from the database's clock alone, so that two
// processes never mean the same code by different times.
func (r *Register) ClaimCode(ctx context.Context, secret string) (at time.Time, wait time.Duration, release func(), err error) {
	for range codeTries {
		var step int64
		var seconds float64
		err = r.pool.QueryRow(ctx, `
			WITH clock AS (SELECT extract(epoch FROM clock_timestamp())::double precision AS now),
			old AS (DELETE FROM typed_codes WHERE (secret, step) IN (
				SELECT t.secret, t.step FROM typed_codes t, clock WHERE t.step < now / $2::float8 - $4::float8 LIMIT 100 FOR UPDATE OF t SKIP LOCKED))
			INSERT INTO typed_codes (secret, step)
				SELECT $1, s FROM clock, generate_series(floor((now + $3::float8) / $2::float8)::bigint, floor(now / $2::float8 + $4::float8)::bigint) s
				WHERE NOT EXISTS (SELECT FROM typed_codes t WHERE t.secret = $1 AND t.step = s)
				ORDER BY s LIMIT 1
			ON CONFLICT DO NOTHING
			RETURNING step, greatest(0, step * $2::float8 - extract(epoch FROM clock_timestamp())::double precision)`,
			secret, codePeriod.Seconds(), codeLeft.Seconds(), codesAhead).Scan(&step, &seconds)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return time.Time{}, 0, nil, unavailable(err)
		}
		at = time.Unix(step*int64(codePeriod/time.Second), 0)
		return at, time.Duration(seconds * float64(time.Second)), func() { r.releaseCode(ctx, secret, step) }, nil
	}
	return time.Time{}, 0, nil, unavailable(errors.New("too many sign-ins want a one-time code"))
}

// releaseCode says that a code was not typed. It is lost if that cannot be noted.
func (r *Register) releaseCode(ctx context.Context, secret string, step int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	_, _ = r.pool.Exec(ctx, `DELETE FROM typed_codes WHERE secret = $1 AND step = $2`, secret, step)
}
