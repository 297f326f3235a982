package eventlog

import (
	"context"
	"embed"

	"integration.gateway/pkg/schema"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates the log's tables and functions, or brings them up to date.
// Any number of processes may call it at once.
func Migrate(ctx context.Context, databaseURL string) error {
	return schema.Apply(ctx, databaseURL, "eventlog_version", migrations)
}
