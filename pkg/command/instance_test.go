package command_test

import (
	"testing"

	"integration.gateway/pkg/command"
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
