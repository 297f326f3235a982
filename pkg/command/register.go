package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/event"
)

// Register knows the commands that have no end in the log yet. The database
// keeps it up to date with every append, so that it is never behind the log.
type Register struct {
	pool *pgxpool.Pool
}

// NewRegister returns the register in the event log's database.
func NewRegister(pool *pgxpool.Pool) *Register { return &Register{pool} }

// errEnded says that a command is not open any more: somebody else ended it.
var errEnded = errors.New("the command has been ended by another instance")

// turn is the answer to a command that asks for the lease of its user at the
// site. Either it is granted, or an effect of the user is in doubt that is of the
// same kind, or a cart's where this one is an order, or another write comes first.
type turn struct {
	granted    bool
	doubted    bool
	doubt      string // the command in doubt; empty where it is another account's
	generation int64  // of the account's browser state; see Register.Generation
}

// lease asks for the lease of a command's user, for the attempt that was accepted
// at a version of the command's stream.
func (r *Register) lease(ctx context.Context, id string, accepted int64) (t turn, err error) {
	var granted, doubted *bool
	var doubt *string
	var generation *int64
	err = r.pool.QueryRow(ctx, `SELECT granted, doubted, doubt, generation FROM lease_user($1, $2)`, id, accepted).
		Scan(&granted, &doubted, &doubt, &generation)
	switch {
	case err != nil:
		return turn{}, fmt.Errorf("lease the user of command %s: %w", id, err)
	case granted == nil:
		return turn{}, errEnded
	}
	t = turn{granted: *granted, doubted: *doubted, generation: *generation}
	if doubt != nil {
		t.doubt = *doubt
	}
	return t, nil
}

// Generation is how often an effect of an account has fallen into doubt. A
// browser's state that was made before the last time may hold what that effect
// has left, and is not used any more.
func (r *Register) Generation(ctx context.Context, account string) (generation int64, err error) {
	err = r.pool.QueryRow(ctx, `SELECT coalesce(max(generation), 0) FROM state_generations WHERE account = $1`, account).Scan(&generation)
	if err != nil {
		return 0, fmt.Errorf("ask for the generation of the account's browser state: %w", err)
	}
	return generation, nil
}

// attended says whether a session of a command's user was open since the command
// was accepted, or is. The command is open, or is still looked for.
func (r *Register) attended(ctx context.Context, id string) (attended bool, err error) {
	err = r.pool.QueryRow(ctx, `
		SELECT coalesce(bool_or(c.attended OR EXISTS (
			SELECT FROM user_sessions s WHERE c.site_user IN (s.site_user, s.account) OR s.account = c.account)), false)
		FROM (SELECT id, account, site_user, attended FROM open_commands
			UNION ALL SELECT command, site_user AS account, site_user, attended FROM late_checks) c WHERE c.id = $1`, id).Scan(&attended)
	if err != nil {
		return false, fmt.Errorf("ask for the sessions beside command %s: %w", id, err)
	}
	return attended, nil
}

// besideOthers says of an effect that is looked for late whether another one of
// the same user and kind is under way or in doubt, and whether one has come about
// since, or may have. Of one that is not looked for any more, unless it was found,
// nobody knows.
func (r *Register) besideOthers(ctx context.Context, id string) (underWay, before bool, err error) {
	err = r.pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM open_commands o
				WHERE (o.site_user = l.site_user OR o.account = l.account) AND o.effect = l.effect AND o.id <> c.id AND o.started),
			coalesce(l.others, NOT EXISTS (SELECT FROM events e WHERE e.stream_id = $2 AND e.type = $3))
		FROM (SELECT $1::text AS id) c LEFT JOIN late_checks l ON l.command = c.id`,
		id, event.CommandStream(id), event.TypeEffectFoundLate).Scan(&underWay, &before)
	if err != nil {
		return false, false, fmt.Errorf("ask for the effects beside command %s: %w", id, err)
	}
	return underWay, before, nil
}

// open is an open command that its instance may have left behind.
type open struct {
	ID       string
	Instance string
}

// leftBehind returns open commands of an integration, not those in doubt, whose
// instance is dead or is the given one: that one knows which of its own it
// still carries out. Leases are held against the time of now(), which is
// before the query's snapshot: one that is renewed later is not seen as expired.
func (r *Register) leftBehind(ctx context.Context, integration, instance string) ([]open, error) {
	rows, err := r.pool.Query(ctx, `
		SELECT o.id, o.instance FROM open_commands o
		WHERE o.integration = $1 AND NOT o.in_doubt AND (o.instance = $2 OR NOT EXISTS (
			SELECT FROM instances i WHERE i.id = o.instance AND i.expires > now()))
		ORDER BY o.place LIMIT 1000`, integration, instance)
	if err != nil {
		return nil, fmt.Errorf("look for commands left behind: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[open])
	if err != nil {
		return nil, fmt.Errorf("look for commands left behind: %w", err)
	}
	return found, nil
}
