package schema

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Owner is the role that owns every table and function. Nobody logs in as
// Owner: migrations take its part, and functions that do more than their
// callers may run as it.
const Owner = "igw_owner"

// The roles that processes log in with, or rather the groups that their
// logins are members of:
//
//	CREATE ROLE shop_1 LOGIN PASSWORD '…' IN ROLE igw_service;
//
// Each migration grants them what they need of its tables.
const (
	Service  = "igw_service"  // the integrations: append to the event log, read it, keep secrets
	Accounts = "igw_accounts" // the accounts service: the same, and the tables of callers and accounts
	Keeper   = "igw_keeper"   // the audit service: orders and signs the log, keeps its read models
	Auditor  = "igw_auditor"  // people and igw: reads the log
)

// As returns the URL of a database on which the login takes a role's part from
// the start of each connection, as SET ROLE does: it may do no more than the
// role may. The login must be a member of the role; see CheckLogin. The URL
// does for psql, too.
//
// It serves those who have one login for all, as tests and a development stack
// do. It is no wall: RESET ROLE gives the login's own rights back, so that in
// production each process has a login of its own.
func As(databaseURL, role string) string {
	option := "-c role=" + role
	u, err := url.Parse(databaseURL)
	if err != nil || u.Scheme == "" { // words such as "host=… user=…"
		return databaseURL + " options='" + option + "'"
	}
	query := u.Query()
	query.Set("options", strings.TrimSpace(query.Get("options")+" "+option))
	// psql takes a plus sign for one.
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return u.String()
}

// CheckLogin says whether the login of a database may take the parts of roles,
// as As has it do, and with which statement an administrator lets it.
func CheckLogin(ctx context.Context, databaseURL string, roles ...string) (err error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeConn(ctx, conn)) }()
	found, err := findRoles(ctx, conn, roles)
	if err != nil {
		return err
	}
	var lacking []string
	for _, r := range found {
		if !r.Taken {
			lacking = append(lacking, r.Name)
		}
	}
	if lacking == nil {
		return nil
	}
	var login string
	if err := conn.QueryRow(ctx, `SELECT quote_ident(session_user)`).Scan(&login); err != nil {
		return err
	}
	names := strings.Join(lacking, ", ")
	return fmt.Errorf("the login %s may not act as %s; have an administrator run: GRANT %s TO %s;", login, names, names, login)
}

// ownerAttempts bounds how often takeOwnersPart looks again because another
// process was doing the same. Each time at least one is done.
const ownerAttempts = 100

// takeOwnersPart makes conn create everything as Owner. It creates the roles
// that are missing before, and lets them into the schema.
//
// Roles belong to the whole cluster, so that no lock of one database keeps two
// migrations apart; the one that comes second looks again.
func takeOwnersPart(ctx context.Context, conn *pgx.Conn) error {
	// The login's own rights count, whatever role the URL names.
	if _, err := conn.Exec(ctx, `SET ROLE NONE`); err != nil {
		return err
	}
	done := false
	for range ownerAttempts {
		statements, err := missing(ctx, conn)
		if err != nil {
			return err
		}
		switch {
		case len(statements) == 0:
			_, err := conn.Exec(ctx, `SET ROLE `+Owner)
			return err
		case done: // Postgres only warns of a grant that it did not make
			return refused(statements, "they had no effect")
		}
		// Several statements in one call are one transaction.
		_, err = conn.Exec(ctx, strings.Join(statements, "\n"))
		var e *pgconn.PgError
		switch {
		case err == nil:
			done = true
		case errors.As(err, &e) && e.Code == "42501":
			return refused(statements, e.Message)
		case !lostRace(err):
			return err
		}
	}
	return errors.New("other migrations kept this one from creating the roles; run it again")
}

// role is what a login finds of one of the roles.
type role struct {
	Name    string
	Exists  bool
	Taken   bool // the login may take the role's part
	Uses    bool // the role may use the schema
	Creates bool // the role may create in the schema
}

// missing returns the statements that the roles, the login's membership and
// the schema still need.
func missing(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	var login string
	var place *string
	if err := conn.QueryRow(ctx, `SELECT quote_ident(session_user), quote_ident(current_schema())`).Scan(&login, &place); err != nil {
		return nil, err
	}
	if place == nil {
		return nil, errors.New("the connection's search_path names no schema that is there and that this login may use")
	}
	roles, err := findRoles(ctx, conn, []string{Owner, Service, Accounts, Keeper, Auditor})
	if err != nil {
		return nil, err
	}
	var create, grant []string
	for _, r := range roles {
		if !r.Exists {
			create = append(create, fmt.Sprintf("CREATE ROLE %s NOLOGIN;", r.Name))
		}
		isOwner := r.Name == Owner
		switch {
		case isOwner && !r.Creates:
			grant = append(grant, fmt.Sprintf("GRANT USAGE, CREATE ON SCHEMA %s TO %s;", *place, r.Name))
		case !r.Uses:
			grant = append(grant, fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", *place, r.Name))
		}
		if isOwner && !r.Taken {
			grant = append(grant, fmt.Sprintf("GRANT %s TO %s;", r.Name, login))
		}
	}
	return append(create, grant...), nil
}

// findRoles returns what there is of each role, in the order of names.
func findRoles(ctx context.Context, conn *pgx.Conn, names []string) ([]role, error) {
	// Since Postgres 16 a member need not be one that may take the role's part:
	// who creates a role is at first its administrator only.
	rows, err := conn.Query(ctx, `
		SELECT wanted.name, r.oid IS NOT NULL,
			coalesce(pg_has_role(session_user, r.oid,
				CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END), false),
			coalesce(has_schema_privilege(r.oid, current_schema()::text, 'USAGE'), false),
			coalesce(has_schema_privilege(r.oid, current_schema()::text, 'CREATE'), false)
		FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, place) LEFT JOIN pg_roles r ON r.rolname = wanted.name
		ORDER BY wanted.place`, names)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[role])
}

// lostRace says whether a statement failed because another session has just
// done the same.
func lostRace(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case "42710", "23505": // the role exists, or is being created
		return true
	case "XX000": // two sessions change the rights of one role or schema
		return strings.HasPrefix(e.Message, "tuple concurrently")
	default:
		return false
	}
}

// refused tells what an administrator must do where the login may not.
func refused(statements []string, why string) error {
	return fmt.Errorf("this login may not prepare the roles (%s); have an administrator run these statements in this database first:\n%s",
		why, strings.Join(statements, "\n"))
}
