package schema_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"integration.gateway/pkg/postgres"
	"integration.gateway/pkg/schema"
)

// virgin is a cluster that no migration has seen, with what a test does there
// as its administrator.
type virgin struct {
	*testing.T
	url string
}

func newVirgin(t *testing.T) virgin {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, err := postgres.Start(ctx, postgres.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return virgin{t, server.URL()}
}

// as returns the URL of a login and a database.
func (v virgin) as(login, database string) string {
	u, err := url.Parse(v.url)
	if err != nil {
		v.Fatal(err)
	}
	if login != "" {
		u.User = url.UserPassword(login, "secret")
	}
	u.Path = "/" + database
	return u.String()
}

// run executes statements, one after the other.
func run(t *testing.T, databaseURL string, statements ...string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (v virgin) run(database string, statements ...string) {
	v.Helper()
	if err := run(v.T, v.as("", database), statements...); err != nil {
		v.Fatal(err)
	}
}

// owner returns who owns a table.
func owner(t *testing.T, databaseURL, table string) (name string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if err := conn.QueryRow(t.Context(), `select tableowner from pg_tables where tablename = $1`, table).Scan(&name); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestFirstMigrationsOfAClusterMayComeAtOnce migrates several schemas of
// several databases together, where none of the roles is there yet.
func TestFirstMigrationsOfAClusterMayComeAtOnce(t *testing.T) {
	t.Parallel()
	v := newVirgin(t)
	var places []string
	for _, database := range []string{"one", "two", "three"} {
		v.run("postgres", "create database "+database)
		for _, place := range []string{"public", "red", "blue"} {
			v.run(database, "create schema if not exists "+place)
			places = append(places, v.as("", database)+"&search_path="+place)
		}
	}
	begin := make(chan struct{})
	var migrations sync.WaitGroup
	for _, place := range append(places, places...) {
		migrations.Go(func() {
			<-begin
			if err := schema.Apply(t.Context(), place, "things_version", files(first)); err != nil {
				t.Error(err)
			}
		})
	}
	close(begin)
	migrations.Wait()
	for _, place := range places {
		if got := count(t, place); got != 1 {
			t.Errorf("got %d rows in %s", got, place)
		}
	}
}

func TestLoginThatMayCreateRolesNeedsNoSuperuser(t *testing.T) {
	t.Parallel()
	v := newVirgin(t)
	v.run("postgres", `create role "Deployer 1" login createrole password 'secret'`, `create database shop owner "Deployer 1"`)
	if err := schema.Apply(t.Context(), v.as("Deployer 1", "shop"), "things_version", files(first)); err != nil {
		t.Fatal(err)
	}
	if got := owner(t, v.as("", "shop"), "things"); got != schema.Owner {
		t.Errorf("the table belongs to %s", got)
	}
}

// TestErrorTellsAllThatAnAdministratorMustDo runs the statements of the error
// and migrates with the same login.
func TestErrorTellsAllThatAnAdministratorMustDo(t *testing.T) {
	t.Parallel()
	v := newVirgin(t)
	v.run("postgres", `create role "Deployer 1" login password 'secret'`)
	for database, prepare := range map[string][]string{
		"nothing": {},
		"own":     {`alter database own owner to "Deployer 1"`},
		"member": {
			`create role igw_owner`, `create role igw_service`, `create role igw_accounts`, `create role igw_keeper`, `create role igw_auditor`,
			`grant igw_owner to "Deployer 1"`, // Postgres only warns it of a grant on the schema that it may not make
		},
		"roles": {`grant all on schema public to "Deployer 1"`},
	} {
		v.run("postgres", "create database "+database)
		v.run(database, prepare...)
		login := v.as("Deployer 1", database)
		err := schema.Apply(t.Context(), login, "things_version", files(first))
		if err == nil {
			t.Fatalf("%s: the login could do all by itself", database)
		}
		_, statements, found := strings.Cut(err.Error(), ":\n")
		if !found || strings.Contains(err.Error(), "secret") {
			t.Fatalf("%s: got %v", database, err)
		}
		v.run(database, strings.Split(statements, "\n")...)
		if err := schema.Apply(t.Context(), login, "things_version", files(first)); err != nil {
			t.Errorf("%s: after the administrator ran %s: %v", database, statements, err)
		}
		if got := owner(t, v.as("", database), "things"); got != schema.Owner {
			t.Errorf("%s: the table belongs to %s", database, got)
		}
		v.run(database, `drop owned by igw_owner, igw_service, igw_accounts, igw_keeper, igw_auditor`)
		v.run("postgres", `drop role igw_owner, igw_service, igw_accounts, igw_keeper, igw_auditor`)
	}
}

func TestSchemaThatTheLoginMayNotUseIsSaid(t *testing.T) {
	t.Parallel()
	v := newVirgin(t)
	v.run("postgres", `create role "Deployer 1" login password 'secret'`, `revoke all on schema public from public`)
	err := schema.Apply(t.Context(), v.as("Deployer 1", "postgres"), "things_version", files(first))
	if err == nil || !strings.Contains(err.Error(), "search_path") {
		t.Errorf("got %v", err)
	}
}

func TestTablesOfAnotherOwnerAreRefused(t *testing.T) {
	t.Parallel()
	v := newVirgin(t)
	v.run("postgres", `create table things_version (version integer)`)
	err := schema.Apply(t.Context(), v.as("", "postgres"), "things_version", files(first))
	if err == nil || !strings.Contains(err.Error(), "belong to postgres") {
		t.Errorf("got %v", err)
	}
}

func TestConnectionTakesARolesPart(t *testing.T) {
	t.Parallel()
	v := newVirgin(t)
	words := v.words()
	if err := schema.Apply(t.Context(), schema.As(v.url, "nobody_at_all"), "things_version", files(first)); err == nil {
		t.Error("a role that is not there was taken")
	}
	if err := schema.Apply(t.Context(), v.url, "things_version", files(first+`grant select on things to igw_service;`)); err != nil {
		t.Fatal(err)
	}
	for _, databaseURL := range []string{v.url, words} {
		for role, want := range map[string]string{schema.Service: "", schema.Auditor: "42501", schema.Owner: ""} {
			err := run(t, schema.As(databaseURL, role), `select from things`)
			var e *pgconn.PgError
			if errors.As(err, &e); err == nil && want != "" || err != nil && (e == nil || e.Code != want) {
				t.Errorf("%s: got %v, want %q", role, err, want)
			}
		}
	}
	// Migrations go by the login, whatever part its URL takes.
	if err := schema.Apply(t.Context(), schema.As(words, schema.Service), "things_version", files(first, second)); err != nil {
		t.Error(err)
	}
}

func TestLoginThatMayNotActAsARoleIsTold(t *testing.T) {
	t.Parallel()
	v := newVirgin(t)
	v.run("postgres", `create role "Deployer 1" login password 'secret'`)
	login := v.as("Deployer 1", "postgres")
	if err := schema.Apply(t.Context(), v.url, "things_version", files(first)); err != nil {
		t.Fatal(err)
	}
	if err := schema.CheckLogin(t.Context(), v.url, schema.Service, schema.Keeper); err != nil {
		t.Errorf("a superuser: %v", err)
	}
	v.run("postgres", `grant igw_service to "Deployer 1"`)
	err := schema.CheckLogin(t.Context(), login, schema.Service, schema.Keeper)
	if err == nil || strings.Contains(err.Error(), schema.Service) {
		t.Fatalf("got %v", err)
	}
	_, statement, _ := strings.Cut(err.Error(), "run: ")
	v.run("postgres", statement)
	if err := schema.CheckLogin(t.Context(), login, schema.Service, schema.Keeper); err != nil {
		t.Errorf("after %s: %v", statement, err)
	}
	if err := run(t, schema.As(login, schema.Keeper), `select 1`); err != nil {
		t.Error(err)
	}
}

func TestURLKeepsItsOptionsAndServesPsql(t *testing.T) {
	t.Parallel()
	v := newVirgin(t)
	v.run("postgres", `create role igw_service`)
	databaseURL := schema.As(v.url+"&options=-c%20statement_timeout%3D12s", schema.Service)
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	var role, timeout string
	if err := conn.QueryRow(t.Context(), `select current_user, current_setting('statement_timeout')`).Scan(&role, &timeout); err != nil {
		t.Fatal(err)
	}
	if role != schema.Service || timeout != "12s" {
		t.Errorf("got %s with %s", role, timeout)
	}
	// libpq decodes no plus sign, and knows no parameter but its own.
	if strings.Contains(databaseURL, "+") || strings.Contains(databaseURL, "&role=") {
		t.Errorf("psql does not take %s", databaseURL)
	}
}

// words returns the administrator's URL as a list of words.
func (v virgin) words() string {
	config, err := pgx.ParseConfig(v.url)
	if err != nil {
		v.Fatal(err)
	}
	return fmt.Sprintf("host=%s port=%d user=%s password=%s dbname=%s sslmode=disable",
		config.Host, config.Port, config.User, config.Password, config.Database)
}
