package service

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// The sizes of the two pools. A request holds a connection for moments, most of
// its time a browser works or the disk: half as many connections as requests do.
const (
	leastConnections = 4 // of a pool; also for what runs beside the requests
	spareConnections = 2
)

// connections returns how many connections each pool opens at most:
// 2 + AtOnce/2, at least 4, and no more than DATABASE_CONNECTIONS together.
func (c *Config) connections() (log, vault int) {
	size := max(leastConnections, spareConnections+c.AtOnce/2)
	return min(size, c.DatabaseConnections-c.DatabaseConnections/2), min(size, c.DatabaseConnections/2)
}

// openPool connects to the Postgres database that a setting names. The address
// may have another size, as pool_max_conns.
func (h *Host) openPool(ctx context.Context, setting, url string, size int) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The library's text holds the URL without its password.
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = int32(size)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	h.OnClose(func() error { pool.Close(); return nil })
	if err := pool.Ping(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	h.Logger.Info("database connections", "of", setting, "most", config.MaxConns, "requests", h.cfg.AtOnce)
	return pool, nil
}
