package session

import (
	"context"
	"embed"

	"integration.gateway/pkg/schema"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate creates the register of open sessions beside the register of
// instances, which must be there (see package command), or brings it up to
// date. Any number of processes may call it at once.
func Migrate(ctx context.Context, databaseURL string) error {
	return schema.Apply(ctx, databaseURL, "session_version", migrations)
}
