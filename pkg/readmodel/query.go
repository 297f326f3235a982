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

// ErrNoRow says that a filter's Before is the id of nothing that the rows
// count in.
var ErrNoRow = errors.New("the read models have no such row")

// CommandFilter selects commands: those to which all applies that is not zero.
type CommandFilter struct {
	Integration, Operation, Caller, Account string
	State                                   State
	Since                                   time.Time // accepted then or later
	Until                                   time.Time // accepted before
	Before                                  string    // id; only commands that come after it in the list
}

// Commands returns at most limit commands that the filter selects, the newest
// first: in the falling order of their first events in the log. To get the next
// part, set Before to the last one's id; what is accepted meanwhile comes before
// all that is there, so that the parts have neither gaps nor doubles.
func Commands(ctx context.Context, pool *pgxpool.Pool, f CommandFilter, limit int) ([]Command, error) {
	var s selection
	s.where("integration = $%d", f.Integration, f.Integration != "")
	s.where("operation = $%d", f.Operation, f.Operation != "")
	s.where("caller = $%d", f.Caller, f.Caller != "")
	s.where("account = $%d", f.Account, f.Account != "")
	s.where("state = $%d", string(f.State), f.State != "")
	s.where("accepted_at >= $%d", f.Since, !f.Since.IsZero())
	s.where("accepted_at < $%d", f.Until, !f.Until.IsZero())
	return commands.newest(ctx, pool, s, f.Before, limit)
}

// SessionFilter selects sessions: those to which all applies that is not zero.
type SessionFilter struct {
	Integration, Caller, Account string
	State                        SessionState
	Before                       string // id; only sessions that come after it in the list
}

// Sessions returns at most limit sessions that the filter selects, the newest
// first, and their parts as Commands does.
func Sessions(ctx context.Context, pool *pgxpool.Pool, f SessionFilter, limit int) ([]Session, error) {
	var s selection
	s.where("integration = $%d", f.Integration, f.Integration != "")
	s.where("caller = $%d", f.Caller, f.Caller != "")
	s.where("account = $%d", f.Account, f.Account != "")
	s.where("state = $%d", string(f.State), f.State != "")
	return sessions.newest(ctx, pool, s, f.Before, limit)
}

// selection is what rows are selected by.
type selection struct {
	conditions []string
	args       []any // from $2 on: $1 is the limit
}

// where adds a condition, whose one argument is value, if there is one.
func (s *selection) where(condition string, value any, given bool) {
	if given {
		s.args = append(s.args, value)
		s.conditions = append(s.conditions, fmt.Sprintf(condition, len(s.args)+1))
	}
}

// newest returns at most limit rows of a selection, the newest first, and only
// those that come after the row with the id before.
func (m model[T, R]) newest(ctx context.Context, pool *pgxpool.Pool, s selection, before string, limit int) ([]T, error) {
	s.where("first_seq < (SELECT first_seq FROM "+m.table+" WHERE id = $%d)", before, before != "")
	conditions := strings.Join(append(s.conditions, "true"), " AND ")
	args := append([]any{pgx.QueryExecModeCacheDescribe, limit}, s.args...) // planned anew each time: what is fast depends on the values
	found, err := m.read(ctx, pool, `WHERE `+conditions+` ORDER BY first_seq DESC LIMIT $1`, args...)
	if err == nil && len(found) == 0 && before != "" {
		err = m.known(ctx, pool, before) // an unknown id looks like the end
	}
	return found, err
}

// known returns ErrNoRow when there is no row with an id.
func (m model[T, R]) known(ctx context.Context, pool *pgxpool.Pool, id string) error {
	var is bool
	if err := pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+m.table+` WHERE id = $1)`, id).Scan(&is); err != nil {
		return fmt.Errorf("look for %s %s: %w", m.name, id, err)
	}
	if !is {
		return ErrNoRow
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
