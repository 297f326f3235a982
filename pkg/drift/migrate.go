package drift

import (
	"context"
	"embed"

	"integration.gateway/pkg/schema"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates the table of counts in the event log's database, or brings it
// up to date. Any number of processes may call it at once.
func Migrate(ctx context.Context, databaseURL string) error {
	return schema.Apply(ctx, databaseURL, "drift_version", migrations)
}
