package eventlog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// CheckDurability returns an error if the database confirms commits that a
// crash of its machine would lose: an effect would begin whose start is not on
// disk.
func CheckDurability(ctx context.Context, pool *pgxpool.Pool) error {
	for _, setting := range []string{"fsync", "synchronous_commit"} {
		var value string
		if err := pool.QueryRow(ctx, `SELECT current_setting($1)`, setting).Scan(&value); err != nil {
			return fmt.Errorf("read the database's setting %s: %w", setting, err)
		}
		if value == "off" {
			return fmt.Errorf("the database has %s = off, so that a crash loses what it has confirmed; set it to on", setting)
		}
	}
	return nil
}

// Open reports whether the log takes events: see ErrClosed.
func (l *Log) Open(ctx context.Context) (open bool, err error) {
	if err := l.pool.QueryRow(ctx, `SELECT log_is_open()`).Scan(&open); err != nil {
		return false, fmt.Errorf("read whether the log is open: %w", err)
	}
	return open, nil
}
