package readmodel

import (
	"context"
	"embed"

	"integration.gateway/pkg/schema"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates the read models' tables in the event log's database, or
// brings them up to date. Any number of processes may call it at once.
func Migrate(ctx context.Context, databaseURL string) error {
	return schema.Apply(ctx, databaseURL, "readmodel_version", migrations)
}
