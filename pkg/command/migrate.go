package command

import (
	"context"
	"embed"

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
