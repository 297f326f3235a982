package signin_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/signin"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// bundle is a migrated database with two instances that live.
type bundle struct {
	*testing.T
	url   string
	pool  *pgxpool.Pool // of the database's administrator
	one   *signin.Register
	other *signin.Register
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{T: t, url: testenv.DatabaseURL(t)}
	for _, migrate := range []func(context.Context, string) error{eventlog.Migrate, command.Migrate, signin.Migrate} {
		b.must(migrate(t.Context(), b.url))
	}
	b.pool = b.as("")
	b.one, b.other = b.instance("one"), b.instance("other")
	return b
}

func (b *bundle) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// as returns a pool of a role; of the administrator for none.
func (b *bundle) as(role string) *pgxpool.Pool {
	b.Helper()
	url := b.url
	if role != "" {
		url = schema.As(url, role)
	}
	pool, err := pgxpool.New(context.Background(), url)
	b.must(err)
	b.Cleanup(pool.Close)
	return pool
}

func (b *bundle) instance(id string) *signin.Register {
	b.Helper()
	_, err := b.pool.Exec(b.Context(), `INSERT INTO instances (id, expires) VALUES ($1, now() + interval '1 hour')`, id)
	b.must(err)
	return signin.New(b.as(schema.Service), func() string { return id })
}

func (b *bundle) limited(limit time.Duration) context.Context {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), limit)
	b.Cleanup(cancel)
	return ctx
}

func TestOneProcessAtATimeSignsAUserIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var inside, most atomic.Int32
	var processes sync.WaitGroup
	for i := range 6 {
		r := b.one
		if i%2 == 0 {
			r = b.other
		}
		processes.Go(func() {
			done, err := r.Turn(b.limited(30*time.Second), "jane")
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			time.Sleep(5 * time.Millisecond) // others would come in
			inside.Add(-1)
			done()
		})
	}
	processes.Wait()
	if most.Load() != 1 {
		t.Errorf("%d at a time", most.Load())
	}
	held, err := b.one.Turn(b.limited(30*time.Second), "jane")
	b.must(err)
	defer held()
	done, err := b.other.Turn(b.limited(10*time.Second), "joe")
	b.must(err) // another user waits for nobody
	done()
	if _, err := b.other.Turn(b.limited(50*time.Millisecond), "jane"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who waits in vain: %v", err)
	}
}

func TestATurnEndsWithItsHolder(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{
		"its instance is dead": `UPDATE instances SET expires = now() - interval '1 second' WHERE id = 'one'`,
		"its instance is gone": `DELETE FROM instances WHERE id = 'one'`,
		"its time is over":     `UPDATE sign_in_turns SET expires = now() - interval '1 second'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			late, err := b.one.Turn(b.limited(30*time.Second), "jane")
			b.must(err)
			_, err = b.pool.Exec(t.Context(), end)
			b.must(err)
			_, err = b.pool.Exec(t.Context(), `INSERT INTO sign_in_turns VALUES ('joe', 'x', 'dead', now() - interval '2 hours')`)
			b.must(err)
			_, err = b.other.Turn(b.limited(30*time.Second), "jane")
			b.must(err)
			late() // must not end the other's
			var turns, of int
			b.must(b.pool.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE instance = 'other') FROM sign_in_turns`).Scan(&turns, &of))
			if of != 1 {
				t.Error("the turn ended with one that had ended before")
			}
			if turns != 1 {
				t.Errorf("%d turns are kept", turns)
			}
		})
	}
}

func TestARefusedPasswordStaysRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	expect := func(want bool) {
		t.Helper()
		if refused, err := b.other.Refused(t.Context(), "jane's", "account"); err != nil || refused != want {
			t.Errorf("refused: %t, %v; want %t", refused, err, want)
		}
	}
	expect(false)
	over, cancel := context.WithCancel(t.Context())
	cancel() // the command that tried it is over
	b.must(b.one.Refuse(over, "jane's"))
	expect(true)
	b.must(signin.Retry(t.Context(), b.as(schema.Accounts), "account"))
	b.must(signin.Retry(t.Context(), b.as(schema.Accounts), "account"))
	expect(false)
	expect(true)
	b.must(b.one.Accept(over, "jane's"))
	expect(false)

	b.must(b.one.Refuse(over, "jane's"))
	_, err := b.pool.Exec(t.Context(), `UPDATE refused_passwords SET refused_at = now() - interval '91 days'`)
	b.must(err)
	expect(false)
	b.must(b.one.Refuse(over, "joe's"))
	var kept int
	b.must(b.pool.QueryRow(t.Context(), `SELECT count(*) FROM refused_passwords`).Scan(&kept))
	if kept != 1 {
		t.Errorf("%d refusals are kept", kept)
	}
}

func TestAOneTimeCodeIsClaimedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var mu sync.Mutex
	steps := map[int64]bool{}
	var processes sync.WaitGroup
	for i := range 6 {
		r := b.one
		if i%2 == 0 {
			r = b.other
		}
		processes.Go(func() {
			at, _, _, err := r.ClaimCode(t.Context(), "secret")
			mu.Lock()
			defer mu.Unlock()
			if err != nil || steps[at.Unix()] || at.Unix()%30 != 0 {
				t.Errorf("code of %v a second time, %v", at, errors.Unwrap(err))
			}
			steps[at.Unix()] = true
		})
	}
	processes.Wait()
	before := time.Now()
	at, wait, _, err := b.one.ClaimCode(t.Context(), "another")
	b.must(err)
	if begins := at.Sub(before); begins > 2*time.Second || wait > 2*time.Second || begins < -30*time.Second {
		t.Errorf("another secret's code is that of %v, in %s", at, wait)
	}
	next, wait, release, err := b.other.ClaimCode(t.Context(), "another")
	b.must(err)
	if next.Sub(at) != 30*time.Second || wait > 32*time.Second || wait == 0 {
		t.Errorf("the next one is that of %v, in %s", next, wait)
	}
	release()
	again, _, _, err := b.one.ClaimCode(t.Context(), "another")
	b.must(err)
	if !again.Equal(next) {
		t.Errorf("one that was not typed is lost: %v, not %v", again, next)
	}
	_, err = b.pool.Exec(t.Context(), `UPDATE typed_codes SET step = step - 1000`)
	b.must(err)
	_, _, _, err = b.one.ClaimCode(t.Context(), "another")
	b.must(err)
	var kept int
	b.must(b.pool.QueryRow(t.Context(), `SELECT count(*) FROM typed_codes`).Scan(&kept))
	if kept != 1 {
		t.Errorf("%d codes are kept for longer than they last", kept)
	}
}
