package command

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// heartbeat is the connection over which an instance renews its lease: one of
// its own, for a pool may be exhausted by those whose commands depend on it.
// Only Run uses it.
type heartbeat struct {
	pool *pgxpool.Pool // to whose database it goes
	conn *pgx.Conn     // nil before the first use
}

// exec runs a statement that may be run twice. A connection that turns out to
// be lost is replaced at once.
func (h *heartbeat) exec(ctx context.Context, statement string, args ...any) (pgconn.CommandTag, error) {
	for {
		fresh := h.conn == nil || h.conn.IsClosed()
		if fresh {
			conn, err := pgx.ConnectConfig(ctx, h.pool.Config().ConnConfig)
			if err != nil {
				return pgconn.CommandTag{}, err
			}
			h.conn = conn
		}
		done, err := h.conn.Exec(ctx, statement, args...)
		if err == nil || fresh || ctx.Err() != nil || !h.conn.IsClosed() {
			return done, err
		}
	}
}

// close lets go of the connection.
func (h *heartbeat) close(ctx context.Context) {
	if h.conn != nil {
		_ = h.conn.Close(ctx)
	}
}
