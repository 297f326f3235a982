package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
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

// lease asks for the lease of a command's account. Without an error, either it
// is granted, or doubt names a command of the account whose effect is in doubt
// and of the same kind, or a cart's where this one is an order, or another write
// comes first.
func (r *Register) lease(ctx context.Context, id string) (granted bool, doubt string, err error) {
	var answer *bool
	var inDoubt *string
	err = r.pool.QueryRow(ctx, `SELECT granted, doubt FROM lease_account($1)`, id).Scan(&answer, &inDoubt)
	switch {
	case err != nil:
		return false, "", fmt.Errorf("lease the account of command %s: %w", id, err)
	case inDoubt != nil:
		return false, *inDoubt, nil
	case answer == nil:
		return false, "", errEnded
	}
	return *answer, "", nil
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
