// Package schema brings a package's database tables to the version that its
// code needs.
//
// Each package that owns tables embeds its numbered SQL files (001_keys.sql …,
// in the format of github.com/jackc/tern) and applies them under a version
// table of its own. Tables are created in the schema that the connection's
// search_path names first.
package schema

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/tern/v2/migrate"
)

// closeTimeout bounds the farewell to the database, which also happens when
// the caller's context has ended.
const closeTimeout = 5 * time.Second

// Apply runs the migrations in files that the database has not seen yet. Any
// number of processes may do so at once: one applies, the others wait for it.
// It needs a login that may create roles, tables and functions; what it creates
// belongs to Owner, and the services' own roles may use it as the files say.
func Apply(ctx context.Context, databaseURL, versionTable string, files fs.FS) (err error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("connect to migrate %s: %w", versionTable, err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		err = errors.Join(err, conn.Close(ctx))
	}()
	if err := takeOwnersPart(ctx, conn); err != nil {
		return err
	}
	m, err := migrate.NewMigrator(ctx, conn, versionTable)
	if err != nil {
		return fmt.Errorf("prepare to migrate %s: %w", versionTable, err)
	}
	if err := m.LoadMigrations(files); err != nil {
		return fmt.Errorf("load the migrations of %s: %w", versionTable, err)
	}
	if err := m.Migrate(ctx); err != nil {
		return fmt.Errorf("migrate %s: %w", versionTable, err)
	}
	return nil
}
