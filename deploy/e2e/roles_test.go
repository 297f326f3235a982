package e2e_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/deploy/migration"
	"integration.gateway/deploy/stack"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/schema"
)

// as returns the address of a database for another login.
func as(t *testing.T, databaseURL, login string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(login, "secret")
	return u.String()
}

// execute runs statements in a database.
func execute(t *testing.T, databaseURL string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), databaseURL) // also when the test has ended
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, statement := range statements {
		if _, err := conn.Exec(context.Background(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// TestServiceCannotChangeWhatHasHappened tries it on a running stack, with the
// rights of a service.
func TestServiceCannotChangeWhatHasHappened(t *testing.T) {
	g := share(t)
	r := g.send(http.MethodGet, marketplace.Search.Path+"?query=coffee", g.demonstration(), nil)
	result[marketplace.SearchResults](g, r)
	for _, role := range []string{schema.Service, schema.Accounts, schema.Keeper, schema.Auditor} {
		pool, err := pgxpool.New(t.Context(), schema.As(g.env.DatabaseURL, role))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		if _, err := eventlog.New(pool).Head(t.Context()); err != nil {
			t.Errorf("%s cannot read the log: %v", role, err)
		}
		statements := []string{
			`update events set data = '{}'`,
			`update log set hash = sha256('x')`,
			`delete from events`,
			`delete from log_checkpoint`,
			`truncate events, log`,
			`insert into events select * from events`,
			`update log_cursor set seq = 0`,
			`alter table events disable trigger events_grow`,
			`drop table log_node`,
		}
		if role != schema.Keeper {
			statements = append(statements, `select sequence_events(1)`)
		}
		for _, statement := range statements {
			_, err := pool.Exec(t.Context(), statement)
			var e *pgconn.PgError
			if !errors.As(err, &e) || e.Code != "42501" {
				t.Errorf("%s: %s: got %v, want a refusal", role, statement, err)
			}
		}
	}
	g.expectEvents(r, readEvents...)
	g.item("tea")
}

// TestStackNeedsNoSuperuser gives the stack a login that may do nothing at
// first, and follows what each error says.
func TestStackNeedsNoSuperuser(t *testing.T) {
	t.Parallel()
	cfg := configure(t)
	admin := cfg.DatabaseURL
	if err := migration.Apply(t.Context(), admin, admin); err != nil {
		t.Fatal(err)
	}
	login := "e2e_" + strings.ToLower(rand.Text())
	execute(t, admin, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD 'secret'", login))
	t.Cleanup(func() { execute(t, admin, "DROP OWNED BY "+login, "DROP ROLE "+login) })
	cfg.DatabaseURL = as(t, admin, login)
	for _, want := range []string{"search_path", "GRANT igw_owner TO ", "GRANT igw_service, igw_accounts, igw_keeper, igw_auditor TO "} {
		_, err := stack.Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Fatalf("got %v, want %s", err, want)
		}
		if !strings.HasPrefix(want, "GRANT") {
			want = "GRANT USAGE ON SCHEMA " + schemaOf(t, admin) + " TO "
		}
		execute(t, admin, want+login)
	}
	startOn(t, cfg).item("coffee")
}

// schemaOf returns the schema that an address names.
func schemaOf(t *testing.T, databaseURL string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("search_path")
}
