package readmodel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// CommandFilter selects commands: those to which all applies that is not zero.
type CommandFilter struct {
	Integration, Operation, Caller, Account string
	State                                   State
	Since                                   time.Time // accepted then or later
	Until                                   time.Time // accepted before
	Before                                  string    // id; only commands that come after it in the list
}

// ErrNoCommand says that CommandFilter.Before is the id of no command that the
// rows count in.
var ErrNoCommand = errors.New("the read models have no such command")

// Commands returns at most limit commands that the filter selects, the newest
// first: in the falling order of their first events in the log. To get the next
// part, set Before to the last one's id; what is accepted meanwhile comes before
// all that is there, so that the parts have neither gaps nor doubles.
func Commands(ctx context.Context, pool *pgxpool.Pool, f CommandFilter, limit int) ([]Command, error) {
	conditions := []string{"true"}
	args := []any{pgx.QueryExecModeCacheDescribe, limit} // planned anew each time: what is fast depends on the values
	where := func(condition string, value any, given bool) {
		if given {
			args = append(args, value)
			conditions = append(conditions, fmt.Sprintf(condition, len(args)-1))
		}
	}
	where("integration = $%d", f.Integration, f.Integration != "")
	where("operation = $%d", f.Operation, f.Operation != "")
	where("caller = $%d", f.Caller, f.Caller != "")
	where("account = $%d", f.Account, f.Account != "")
	where("state = $%d", string(f.State), f.State != "")
	where("accepted_at >= $%d", f.Since, !f.Since.IsZero())
	where("accepted_at < $%d", f.Until, !f.Until.IsZero())
	where("first_seq < (SELECT first_seq FROM read_commands WHERE id = $%d)", f.Before, f.Before != "")
	found, err := commands.read(ctx, pool, `WHERE `+strings.Join(conditions, " AND ")+` ORDER BY first_seq DESC LIMIT $1`, args...)
	if err == nil && len(found) == 0 && f.Before != "" {
		err = known(ctx, pool, f.Before) // an unknown id looks like the end
	}
	return found, err
}

// known returns ErrNoCommand when there is no row of a command.
func known(ctx context.Context, pool *pgxpool.Pool, id string) error {
	var is bool
	if err := pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM read_commands WHERE id = $1)`, id).Scan(&is); err != nil {
		return fmt.Errorf("look for command %s: %w", id, err)
	}
	if !is {
		return ErrNoCommand
	}
	return nil
}

// Projected returns the seq of the last event that the rows count in.
func Projected(ctx context.Context, pool *pgxpool.Pool) (int64, error) {
	var seq int64
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) (err error) {
		seq, err = cursor(ctx, tx)
		return err
	})
	return seq, err
}
