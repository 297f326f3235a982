package eventlog

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"integration.gateway/pkg/proof"
	"integration.gateway/pkg/schema"
)

// grown are the tables that only grow.
var grown = []string{"events", "log", "log_kind", "log_node", "log_checkpoint"}

var members = []string{schema.Service, schema.Accounts, schema.Keeper, schema.Auditor}

// as returns the log as a process with that role has it.
func as(t testing.TB, log *Log, role string) *Log {
	t.Helper()
	return New(newPool(t, schema.As(log.pool.Config().ConnString(), role)))
}

func refused(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "42501" // insufficient_privilege
}

func TestARoleMayDoItsWorkAndNoMore(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	appendMany(t, log, 2)
	sequenceAll(t, log)
	for statement, may := range map[string][]string{
		`SELECT append_events(false, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`: {schema.Owner, schema.Service, schema.Accounts},
		`SELECT sequence_events(10)`: {schema.Owner, schema.Keeper},
		`SELECT current_epoch()`:     {schema.Owner},
		`SELECT add_checkpoint((SELECT coalesce(max(size), 0) FROM log_checkpoint),
			(SELECT coalesce(max(size), 0) + 1 FROM log_checkpoint), sha256(''), 'key', 'note', '{}', '{}', '{}')`: {schema.Owner, schema.Keeper},
		`UPDATE log_cursor SET seq = seq`:                              {schema.Owner},
		`UPDATE log_epoch SET epoch = epoch`:                           {schema.Owner},
		`SELECT FROM log_epoch`:                                        {schema.Owner},
		`SELECT FROM log_cursor`:                                       append([]string{schema.Owner}, members...),
		`CREATE TABLE mine (n integer)`:                                {schema.Owner},
		`CREATE FUNCTION mine() RETURNS integer LANGUAGE sql RETURN 1`: {schema.Owner},
	} {
		for _, role := range append([]string{schema.Owner}, members...) {
			_, err := as(t, log, role).pool.Exec(limited(t), statement)
			if allowed := slices.Contains(may, role); allowed && err != nil || !allowed && !refused(err) {
				t.Errorf("%s as %s: got %v", statement, role, err)
			}
		}
	}
}

func TestNobodyChangesTheLogsTables(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	pools := map[string]*Log{"the superuser": log, schema.Owner: as(t, log, schema.Owner)}
	for _, role := range members {
		pools[role] = as(t, log, role)
	}
	for _, table := range grown {
		var column string
		if err := log.pool.QueryRow(ctx, `SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum = 2`, table).Scan(&column); err != nil {
			t.Fatal(err)
		}
		for role, log := range pools {
			for _, statement := range []string{
				"UPDATE " + table + " SET " + column + " = " + column, "DELETE FROM " + table, "TRUNCATE " + table,
			} {
				if _, err := log.pool.Exec(ctx, statement); !refused(err) {
					t.Errorf("%s as %s: got %v", statement, role, err)
				}
			}
			if !slices.Contains(members, role) {
				continue
			}
			for _, statement := range []string{
				"INSERT INTO " + table + " DEFAULT VALUES", "DROP TABLE " + table,
				"ALTER TABLE " + table + " DISABLE TRIGGER USER", "DROP TRIGGER " + table + "_grow ON " + table,
				"SET session_replication_role = replica", "ALTER FUNCTION log_refuse() OWNER TO " + role,
			} {
				if _, err := log.pool.Exec(ctx, statement); !refused(err) {
					t.Errorf("%s as %s: got %v", statement, role, err)
				}
			}
			if _, err := log.pool.Exec(ctx, "SELECT FROM "+table); err != nil {
				t.Errorf("read %s as %s: %v", table, role, err)
			}
		}
	}
}

// The whole of the log's work, each part under its own role.
func TestTheRolesTogetherKeepTheLog(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	owners := s.log
	service, auditor := as(t, owners, schema.Service), as(t, owners, schema.Auditor)
	s.log = as(t, owners, schema.Keeper)
	s.sign(t, newSigner(t, origin), 100, 50*time.Millisecond)
	appendMany(t, service, 300)
	appendMany(t, as(t, owners, schema.Accounts), 5)
	s.awaitCopy(t, 305)
	awaitCheckpoint(t, s.log, 305)

	prove(t, auditor)
	ctx := limited(t)
	if events, err := auditor.Query(ctx, Filter{Account: "a1"}, 10); err != nil || len(events) != 10 {
		t.Errorf("the auditor finds %d events, %v", len(events), err)
	}
	state, err := State(ctx, auditor.pool, s.nc, DefaultStream)
	if err != nil || state.Head != 305 || state.Problem != "" || !state.Led {
		t.Errorf("the auditor sees %+v, %v", state, err)
	}
	if _, err := service.Nodes(ctx, []proof.NodeID{{Level: 8}}); err != nil {
		t.Error(err)
	}
}

// A login has what its group has, and cannot become more. Nor does it matter
// to functions that run with their owner's rights which tables it has put
// first in its search_path.
func TestALoginOfAServiceTakesNoOtherPart(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	conn, err := pgx.Connect(ctx, newLogin(t, log, schema.Service))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, role := range []string{schema.Owner, schema.Keeper, schema.Auditor, "pg_write_all_data"} {
		if _, err := conn.Exec(ctx, `SET ROLE `+role); !refused(err) {
			t.Errorf("SET ROLE %s: got %v", role, err)
		}
	}
	if _, err := conn.Exec(ctx, `
		CREATE TEMP TABLE events (LIKE events); CREATE TEMP TABLE log_epoch (stolen text);
		SELECT set_config('search_path', 'pg_temp, ' || current_schema(), false)`); err != nil {
		t.Fatal(err)
	}
	if err := write(ctx, conn, true, newTestEntry(t, stream, "")); err != nil {
		t.Fatal(err)
	}
	if events, err := log.Stream(ctx, stream); err != nil || len(events) != 1 {
		t.Errorf("the log has %d events (%v), not 1", len(events), err)
	}
}

// newLogin creates a login in a role's group, for the time of the test.
func newLogin(t *testing.T, log *Log, role string) (databaseURL string) {
	t.Helper()
	administrator := log.pool.Config().ConnString()
	name := "test_" + strings.ToLower(rand.Text())
	if _, err := log.pool.Exec(limited(t), `CREATE ROLE `+name+` LOGIN PASSWORD 'secret' IN ROLE `+role); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testLimit)
		defer cancel()
		conn, err := pgx.Connect(ctx, administrator)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close(ctx) }()
		if _, err := conn.Exec(ctx, `DROP ROLE `+name); err != nil {
			t.Error(err)
		}
	})
	address, err := url.Parse(administrator)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(name, "secret")
	return address.String()
}
