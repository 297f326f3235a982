package schema

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
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

// takeOwnersPart creates the roles that are missing and makes conn create
// everything as Owner. Roles belong to the whole cluster and the lock to one
// database only, so another database's migration may be faster: that is fine.
func takeOwnersPart(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `
		DO $$
		DECLARE
			wanted text;
		BEGIN
			PERFORM pg_advisory_xact_lock(hashtext('integration.gateway/roles'));
			FOREACH wanted IN ARRAY ARRAY['`+Owner+`', '`+Service+`', '`+Accounts+`', '`+Keeper+`', '`+Auditor+`'] LOOP
				IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
					BEGIN
						EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
					EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
					END;
				END IF;
			END LOOP;
			IF NOT pg_has_role('`+Owner+`', 'MEMBER') THEN
				EXECUTE format('GRANT %I TO %I', '`+Owner+`', current_user);
			END IF;
			IF NOT has_schema_privilege('`+Owner+`', current_schema(), 'CREATE') THEN
				EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO %I', current_schema(), '`+Owner+`');
			END IF;
			IF NOT has_schema_privilege('`+Auditor+`', current_schema(), 'USAGE') THEN
				EXECUTE format('GRANT USAGE ON SCHEMA %I TO `+Service+`, `+Accounts+`, `+Keeper+`, `+Auditor+`', current_schema());
			END IF;
		END $$;
		SET ROLE `+Owner)
	if err != nil {
		return fmt.Errorf("create the roles (a migration needs a login that may create roles, or the roles to be there): %w", err)
	}
	return nil
}
