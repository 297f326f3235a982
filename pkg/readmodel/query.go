package readmodel

import (
	"context"
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

// Commands returns at most limit commands that the filter selects, the newest
// first: in the falling order of their ids, which are UUIDs of version 7. To
// get the next part, set Before to the last one's id.
func Commands(ctx context.Context, pool *pgxpool.Pool, f CommandFilter, limit int) ([]Command, error) {
	conditions := []string{"true"}
	args := []any{pgx.QueryExecModeCacheDescribe, limit} // planned anew each time: what is fast depends on the values
	where := func(condition string, value any, given bool) {
		if given {
			args = append(args, value)
			conditions = append(conditions, fmt.Sprintf("%s $%d", condition, len(args)-1))
		}
	}
	where("integration =", f.Integration, f.Integration != "")
	where("operation =", f.Operation, f.Operation != "")
	where("caller =", f.Caller, f.Caller != "")
	where("account =", f.Account, f.Account != "")
	where("state =", string(f.State), f.State != "")
	where("accepted_at >=", f.Since, !f.Since.IsZero())
	where("accepted_at <", f.Until, !f.Until.IsZero())
	where("id <", f.Before, f.Before != "")
	return commands.read(ctx, pool, `WHERE `+strings.Join(conditions, " AND ")+` ORDER BY id DESC LIMIT $1`, args...)
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
