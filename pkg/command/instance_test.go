package command_test

import (
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/pkg/command"
	"integration.gateway/pkg/schema"
)

func (p parts) alive(t *testing.T, id string) bool {
	t.Helper()
	return p.count(t, `SELECT count(*) FROM instances WHERE id = $1 AND expires > now()`, id) == 1
}

func TestInstanceRenewsItsLeaseAndGivesItBack(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	i := p.silent(t, brief)
	id := i.ID()
	expires := func() int {
		return p.count(t, `SELECT (extract(epoch FROM expires) * 1000)::bigint FROM instances WHERE id = $1`, id)
	}
	before := expires()
	end := run(t, i)
	until(t, "the lease is renewed", func() bool { return expires() > before })
	if i.ID() != id || !i.Holds(id) || !p.alive(t, id) {
		t.Errorf("instance %s is now %s", id, i.ID())
	}
	end()
	if n := p.count(t, `SELECT count(*) FROM instances`); n != 0 {
		t.Errorf("%d leases are left", n)
	}
}

// The lease does not wait for a place in the pool, nor end with a connection.
func TestInstanceRenewsItsLeaseWhateverHappensToThePool(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(t *testing.T, p parts, pool *pgxpool.Pool){
		"all connections are in use": func(t *testing.T, _ parts, pool *pgxpool.Pool) {
			for range pool.Config().MaxConns {
				held, err := pool.Acquire(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(held.Release)
			}
		},
		"all connections are lost": func(t *testing.T, p parts, pool *pgxpool.Pool) {
			p.pool = newPool(t, p.url)
			if n := p.count(t, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1`,
				pool.Config().ConnConfig.RuntimeParams["application_name"]); n != 2 {
				t.Errorf("%d connections are lost, want the pool's and the lease's", n)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newParts(t)
			config, err := pgxpool.ParseConfig(schema.As(p.url, schema.Service))
			if err != nil {
				t.Fatal(err)
			}
			config.ConnConfig.RuntimeParams["application_name"] = uuid.NewString()
			config.MaxConns = 2
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(pool.Close)
			i, err := command.NewInstance(t.Context(), pool, brief, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			id := i.ID()
			renewals := func() int {
				return p.count(t, `SELECT (extract(epoch FROM expires) * 1000)::bigint FROM instances WHERE id = $1`, id)
			}
			before := renewals()
			run(t, i)
			until(t, "the lease is renewed", func() bool { return renewals() > before })
			happens(t, p, pool)
			for range 4 {
				before = renewals()
				until(t, "the lease is renewed again", func() bool { return renewals() > before || i.ID() != id })
				if i.ID() != id || !i.Holds(id) {
					t.Fatal("the lease was lost")
				}
			}
		})
	}
}

// others can have seen the lease expired, whatever kept it from being renewed.
func TestInstanceThatWasSilentGoesOnAsAnother(t *testing.T) {
	t.Parallel()
	for name, silence := range map[string]func(t *testing.T, p parts, i *command.Instance){
		"it stood still": func(t *testing.T, _ parts, i *command.Instance) {
			id := i.ID()
			until(t, "the lease runs out", func() bool { return !i.Holds(id) })
			run(t, i)
		},
		"its renewals hang": func(t *testing.T, p parts, i *command.Instance) {
			tx, err := newPool(t, p.url).Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tx.Rollback(t.Context()) }()
			if _, err := tx.Exec(t.Context(), `LOCK TABLE instances`); err != nil {
				t.Fatal(err)
			}
			id := i.ID()
			run(t, i)
			until(t, "the lease runs out", func() bool { return !i.Holds(id) })
		},
		"the database's clock has run ahead": func(t *testing.T, p parts, i *command.Instance) {
			if _, err := p.pool.Exec(t.Context(), `UPDATE instances SET expires = now() - interval '1 s' WHERE id = $1`, i.ID()); err != nil {
				t.Fatal(err)
			}
			run(t, i)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newParts(t)
			i := p.silent(t, brief)
			id := i.ID()
			silence(t, p, i)
			until(t, "it has another lease", func() bool { return i.ID() != id && i.Holds(i.ID()) && p.alive(t, i.ID()) })
			if i.Holds(id) {
				t.Error("the old lease is back")
			}
		})
	}
}

func TestInstanceClearsAwayTheLongDead(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	if _, err := p.pool.Exec(t.Context(), `INSERT INTO instances VALUES ('old', now() - interval '2 hours'), ('young', now() - interval '2 minutes')`); err != nil {
		t.Fatal(err)
	}
	p.silent(t, hour)
	if n := p.count(t, `SELECT count(*) FROM instances WHERE id IN ('old', 'young')`); n != 1 {
		t.Errorf("%d are left", n)
	}
}
