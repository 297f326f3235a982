package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// The pauses between looks at a command in doubt: they double from the first
// to the longest. A late check that fails is made again after such pauses too,
// from a longer first one, or from the time of the check where that is shorter.
const (
	firstLook   = 2 * time.Second
	longestLook = time.Hour
	firstRetry  = 2 * time.Minute
)

// mostLooks bounds the looks that are listed at once.
const mostLooks = 1000

// Look is one at the application, for a command in doubt or for one whose
// effect the application did not show so far.
type Look struct {
	ID   string // of the command
	User string // it acts as at the site; of two looks for the same one, one is made at a time
	Late bool   // it is a late check
	Due  bool   // it may begin now; always so of a late check

	done int // late checks of the command before
}

// When looks are due. A time further ahead than it was ever set is one from before
// the database's clock was set back.
const (
	lookDue = `(look_at <= clock_timestamp() OR
		look_at > clock_timestamp() + least(make_interval(secs => @first) * 2 ^ least(looks - 1, 20), make_interval(secs => @longest)))`
	checkDue = `(check_at <= clock_timestamp() OR
		check_at > clock_timestamp() + greatest(after[done + 1] * interval '1 ms', make_interval(secs => @longest)))`
)

// lookArgs are the arguments of all queries about looks.
func lookArgs(more pgx.NamedArgs) pgx.NamedArgs {
	args := pgx.NamedArgs{"first": firstLook.Seconds(), "longest": longestLook.Seconds(), "retry": firstRetry.Seconds()}
	for name, value := range more {
		args[name] = value
	}
	return args
}

// Looks lists an integration's commands in doubt and the late checks that are due.
// Those that may begin come first, and of them each user's that is due the longest,
// then each user's next: where there are more than are listed, none keeps others
// out for long, since a look that was made is due later.
func (r *Register) Looks(ctx context.Context, integration string) ([]Look, error) {
	rows, err := r.pool.Query(ctx, `
		SELECT id, site_user, late, due, done FROM (
			SELECT id, site_user, `+lookDue+` AS due, false AS late, 0 AS done, look_at AS at
				FROM open_commands WHERE integration = @integration AND in_doubt
			UNION ALL
			SELECT command, site_user, true, true, done, check_at FROM late_checks WHERE integration = @integration AND `+checkDue+`) looks
		ORDER BY due DESC, row_number() OVER (PARTITION BY due, coalesce(nullif(site_user, ''), id) ORDER BY at), at LIMIT @most`,
		lookArgs(pgx.NamedArgs{"integration": integration, "most": mostLooks}))
	if err != nil {
		return nil, fmt.Errorf("list commands in doubt: %w", err)
	}
	looks, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l Look, err error) {
		return l, row.Scan(&l.ID, &l.User, &l.Late, &l.Due, &l.done)
	})
	if err != nil {
		return nil, fmt.Errorf("list commands in doubt: %w", err)
	}
	return looks, nil
}

// Claim keeps other instances from a look until the next one is due. It says no
// when another has claimed it, or there is nothing to look for any more.
func (r *Register) Claim(ctx context.Context, l Look) (bool, error) {
	query := `UPDATE open_commands SET looks = looks + 1,
			look_at = clock_timestamp() + least(make_interval(secs => @first) * 2 ^ least(looks, 20), make_interval(secs => @longest))
		WHERE id = @id AND in_doubt AND ` + lookDue
	if l.Late {
		query = `UPDATE late_checks SET tries = tries + 1,
				check_at = clock_timestamp() +
					least(least(make_interval(secs => @retry), after[done + 1] * interval '1 ms') * 2 ^ least(tries, 20), make_interval(secs => @longest))
			WHERE command = @id AND done = @done AND ` + checkDue
	}
	done, err := r.pool.Exec(ctx, query, lookArgs(pgx.NamedArgs{"id": l.ID, "done": l.done}))
	if err != nil {
		return false, fmt.Errorf("claim a look at command %s: %w", l.ID, err)
	}
	return done.RowsAffected() == 1, nil
}

// Checked notes that a late check has not found the effect. After the last one
// it is not looked for any more.
func (r *Register) Checked(ctx context.Context, l Look) error {
	_, err := r.pool.Exec(ctx, `
		WITH last AS (DELETE FROM late_checks WHERE command = $1 AND done = $2 AND done + 1 >= cardinality(after))
		UPDATE late_checks SET done = done + 1, tries = 0, check_at = since + after[done + 2] * interval '1 ms'
		WHERE command = $1 AND done = $2 AND done + 1 < cardinality(after)`, l.ID, l.done)
	if err != nil {
		return fmt.Errorf("note a late check of command %s: %w", l.ID, err)
	}
	return nil
}

// GiveUp ends the late checks of a command that have failed since long after the
// last one was due, and says whether it did.
func (r *Register) GiveUp(ctx context.Context, l Look) (bool, error) {
	done, err := r.pool.Exec(ctx, `
		DELETE FROM late_checks
		WHERE command = $1 AND tries >= 3 AND clock_timestamp() > since + 2 * after[cardinality(after)] * interval '1 ms'`, l.ID)
	if err != nil {
		return false, fmt.Errorf("end the late checks of command %s: %w", l.ID, err)
	}
	return done.RowsAffected() == 1, nil
}

// awaited is an effect that the application did not show and that is looked for.
type awaited struct {
	ID           string        // of its command
	Own          bool          // that command is of the account that asks
	Since, Until time.Time     // when the application showed none, and when it is looked at for the last time
	Left         time.Duration // until then, by one clock; none once that look is late
}

// awaited returns what is looked for of a command; nil for nothing.
func (r *Register) awaited(ctx context.Context, id string) (*awaited, error) {
	return r.findAwaited(ctx, id, `
		SELECT command, true, since, since + after[cardinality(after)] * interval '1 ms' FROM late_checks WHERE command = $1`, id)
}

// duplicate returns what is looked for of an earlier command of the same user and
// content; nil for nothing.
func (r *Register) duplicate(ctx context.Context, id, content string) (*awaited, error) {
	return r.findAwaited(ctx, id, `SELECT earlier, own, since, until FROM late_effect($1, $2) WHERE earlier IS NOT NULL`, id, content)
}

func (r *Register) findAwaited(ctx context.Context, id, query string, args ...any) (*awaited, error) {
	var a awaited
	err := r.pool.QueryRow(ctx, `SELECT *, until - clock_timestamp() FROM (`+query+`) a (command, own, since, until)`, args...).
		Scan(&a.ID, &a.Own, &a.Since, &a.Until, &a.Left)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ask what command %s may find done late: %w", id, err)
	}
	return &a, nil
}
