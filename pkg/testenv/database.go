package testenv

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Time that setting up or clearing away one schema or account may take.
const stepLimit = 20 * time.Second

// DatabaseURL creates an empty schema and returns a connection URL, of a superuser, whose search_path is that schema alone. The
// schema is dropped when the test ends; a pool or transaction left open on it fails the test then.
//
// All tests share one database: its advisory locks and NOTIFY channels are common to them, so that their keys and names must be
// derived from current_schema().
func DatabaseURL(t testing.TB) string {
	t.Helper()
	base := shared.get(t).databaseURL
	schema := "test_" + strings.ToLower(rand.Text())
	if err := execute(base, "CREATE SCHEMA "+schema); err != nil {
		t.Fatalf("testenv: create a schema: %v", err)
	}
	t.Cleanup(func() {
		if err := execute(base, "SET lock_timeout = '10s'", "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Errorf("testenv: drop the schema: %v (is a transaction still open?)", err)
		}
	})
	address, err := url.Parse(base)
	if err != nil {
		t.Fatalf("testenv: TEST_DATABASE_URL is not a URL: %v", err)
	}
	query := address.Query()
	query.Set("search_path", schema)
	address.RawQuery = query.Encode()
	return address.String()
}

// execute runs statements on a connection of its own.
func execute(databaseURL string, statements ...string) (err error) {
	return withConn(databaseURL, func(ctx context.Context, conn *pgx.Conn) error {
		for _, statement := range statements {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

func withConn(databaseURL string, use func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), stepLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	return use(ctx, conn)
}
