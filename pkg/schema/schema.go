// Package schema brings a package's database tables to the version that its
// code needs.
//
// Each package that owns tables embeds its folder migrations of numbered SQL
// files (001_keys.sql …, in the format of github.com/jackc/tern) and applies
// them under a version table of its own. Tables are created in the schema that the connection's
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

// folder is where a package keeps its migrations.
const folder = "migrations"

// Apply runs the migrations in files that the database has not seen yet. Any
// number of processes may do so at once: one applies, the others wait for it.
//
// What it creates belongs to Owner, and the other roles may use it as the files
// say. The login must be one that may create roles and owns the schema, or an
// administrator must have prepared both: the error says with which statements.
func Apply(ctx context.Context, databaseURL, versionTable string, files fs.FS) (err error) {
	files, err = fs.Sub(files, folder)
	if err != nil {
		return fmt.Errorf("load the migrations of %s: %w", versionTable, err)
	}
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("connect to migrate %s: %w", versionTable, err)
	}
	defer func() { err = errors.Join(err, closeConn(ctx, conn)) }()
	if err := takeOwnersPart(ctx, conn); err != nil {
		return fmt.Errorf("prepare the roles to migrate %s: %w", versionTable, err)
	}
	if err := checkOwner(ctx, conn, versionTable); err != nil {
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

// checkOwner refuses tables that were made before they had an owner of their
// own: the roles would be refused on them, one query at a time.
func checkOwner(ctx context.Context, conn *pgx.Conn, versionTable string) error {
	var owner string
	err := conn.QueryRow(ctx, `SELECT pg_get_userbyid(relowner)::text FROM pg_class WHERE oid = to_regclass(quote_ident($1))`, versionTable).Scan(&owner)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", versionTable, err)
	case owner != Owner:
		return fmt.Errorf("the tables of %s belong to %s and not to %s: an earlier version of the program made them; use an empty database", versionTable, owner, Owner)
	}
	return nil
}

func closeConn(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return conn.Close(ctx)
}
