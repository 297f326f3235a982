package session

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// register knows which sessions all processes have open, and which process has
// each. It is what the limit of a caller counts, and where the sessions of a
// process that died are found.
type register struct {
	pool *pgxpool.Pool
}

// enter notes a session that is about to be opened. It is false when its caller
// has limit of them already.
func (r register) enter(ctx context.Context, id, caller, instance string, limit int) (entered bool, err error) {
	if err := r.pool.QueryRow(ctx, `SELECT enter_session($1, $2, $3, $4)`, id, caller, instance, limit).Scan(&entered); err != nil {
		return false, fmt.Errorf("note that a session is opened: %w", err)
	}
	return entered, nil
}

// leave strikes out a session that has ended.
func (r register) leave(ctx context.Context, id string) error {
	if _, err := r.pool.Exec(ctx, `DELETE FROM open_sessions WHERE id = $1`, id); err != nil {
		return fmt.Errorf("note that a session has ended: %w", err)
	}
	return nil
}

// move gives sessions of this process to the instance that it is now, and
// returns those that it could: of the others, somebody has recorded that they
// are lost, or is about to.
func (r register) move(ctx context.Context, ids []string, instance string) ([]string, error) {
	return r.ids(ctx, `UPDATE open_sessions SET instance = $2 WHERE id = ANY ($1) AND instance <> '' RETURNING id`, ids, instance)
}

// claim takes the sessions over whose instance is dead, but for those given, so
// that it has them no more should it come back. With them it returns those that
// are open by the log alone: the register of a database that was rolled back
// does not have them, nor does any instance that could be asked.
func (r register) claim(ctx context.Context, but []string) ([]string, error) {
	return r.ids(ctx, `
		WITH dead AS (UPDATE open_sessions o SET instance = '' WHERE o.id <> ALL ($1) AND NOT EXISTS (
			SELECT FROM instances i WHERE i.id = o.instance AND i.expires > now()) RETURNING o.id)
		SELECT id FROM dead UNION ALL
		SELECT u.id FROM user_sessions u WHERE u.id <> ALL ($1) AND NOT EXISTS (SELECT FROM open_sessions o WHERE o.id = u.id)`, but)
}

// of returns the sessions that an instance has.
func (r register) of(ctx context.Context, instance string) ([]string, error) {
	return r.ids(ctx, `SELECT id FROM open_sessions WHERE instance = $1`, instance)
}

func (r register) ids(ctx context.Context, sql string, args ...any) ([]string, error) {
	rows, err := r.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("look for open sessions: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look for open sessions: %w", err)
	}
	return ids, nil
}
