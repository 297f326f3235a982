package accounts_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/pkg/schema"
)

func TestNobodyButTheAccountsServiceReachesItsTables(t *testing.T) {
	t.Parallel()
	b := setup(t)
	callerID, _ := b.caller(t)
	b.link(t, callerID, "marketplace")
	const a = schema.Accounts
	roles := map[string]*pgxpool.Pool{}
	for _, role := range []string{schema.Service, a, schema.Keeper, schema.Auditor} {
		roles[role] = newPool(t, schema.As(b.databaseURL, role))
	}
	for statement, allowed := range map[string][]string{
		`select * from callers`:                            {a},
		`insert into callers (id, name) values ('x', 'y')`: {a},
		`update callers set name = 'other'`:                {},
		`delete from callers`:                              {},
		`truncate callers cascade`:                         {},

		`select * from access_tokens`: {a},
		`insert into access_tokens (id, caller, hash, label) select 'x', id, sha256('x'), '' from callers`: {a},
		`update access_tokens set revoked_at = now()`:                                                      {a},
		`update access_tokens set hash = sha256('mine')`:                                                   {},
		`update access_tokens set caller = caller`:                                                         {},
		`delete from access_tokens`:                                                                        {},
		`truncate access_tokens`:                                                                           {},

		`select * from accounts`: {a},
		`insert into accounts (id, caller, integration, site, label, token_hash) select 'x', id, 'marketplace', '', '', sha256('x') from callers`: {a},
		`update accounts set token_hash = null, unlinked_at = now(), recorded = 'unlinked'`:                                                       {a},
		`update accounts set caller = caller`:        {},
		`update accounts set integration = 'agency'`: {},
		`delete from accounts`:                       {},
		`truncate accounts`:                          {},

		`select * from accounts_version`:           {},
		`alter table accounts disable trigger all`: {},
		`drop table access_tokens`:                 {},
	} {
		for role, pool := range roles {
			tx, err := pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = tx.Exec(t.Context(), statement)
			_ = tx.Rollback(t.Context())
			var e *pgconn.PgError
			refused := errors.As(err, &e) && e.Code == "42501"
			if want := slices.Contains(allowed, role); err != nil && !refused || refused == want {
				t.Errorf("%s: %s: got %v, allowed: %t", role, statement, err, want)
			}
		}
	}
}
