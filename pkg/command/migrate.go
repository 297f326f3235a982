package command

import (
	"context"
	"embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"integration.gateway/pkg/schema"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates the register of open commands beside the event log's tables,
// which must be there, or brings it up to date. Any number of processes may
// call it at once.
func Migrate(ctx context.Context, databaseURL string) error {
	return schema.Apply(ctx, databaseURL, "command_version", migrations)
}

// Rebuild brings the register of open commands, and what else follows the log
// beside it, up to date with events of commands that were restored to the log:
// see eventlog.Recovery.
func Rebuild(ctx context.Context, tx pgx.Tx, commands []string) error {
	if _, err := tx.Exec(ctx, `SELECT rebuild_open_commands($1)`, commands); err != nil {
		return fmt.Errorf("rebuild the register of open commands: %w", err)
	}
	return nil
}
