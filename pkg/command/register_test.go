package command_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/schema"
)

// row is what the register holds of an open command.
type row struct {
	ID       string
	Effect   string
	Started  bool
	Doubt    bool
	Finished bool
}

// openByLog derives the register from the events alone.
const openByLog = `
	SELECT a.command, coalesce(convert_from(a.data, 'UTF8')::json ->> 'effect', ''),
		EXISTS (SELECT FROM events s WHERE s.stream_id = a.stream_id AND s.type = 'effect.started'),
		EXISTS (SELECT FROM events u WHERE u.stream_id = a.stream_id AND u.type = 'effect.unknown'),
		EXISTS (SELECT FROM events e WHERE e.stream_id = a.stream_id AND e.type IN ('command.completed', 'command.rejected'))
	FROM events a WHERE a.type = 'command.accepted' ORDER BY a.command`

// Commands of few accounts end in every way, at instances that are taken for
// dead at random and an unreliable connection: the register is what the log
// says, effects have one start each under one lease, and all have an end once
// recovery has had its turn.
func TestRegisterIsWhatTheLogSays(t *testing.T) {
	t.Parallel()
	const workers, commandsOfEach, accounts = 4, 12, 2
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	p := newParts(t)
	ways := []act{
		succeed, confirm, breakOff,
		refusals["refused before the effect"].act, refusals["refused at the effect"].act, refusals["failed before the effect"].act,
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var all sync.WaitGroup
	for w := range workers {
		random := rand.New(rand.NewPCG(seed, uint64(w)))
		var lives []*command.Instance
		for range commandsOfEach + 1 {
			lives = append(lives, p.recorder(t).Instance)
		}
		r := p.of(lives[0])
		r.Log = &scripted{Log: p.log, steps: script(random, 6*commandsOfEach)}
		all.Go(func() {
			for n := range commandsOfEach {
				q := newRequest()
				q.account = string(rune('a' + random.IntN(accounts)))
				q.op = []contracts.Info{place, fill, read}[random.IntN(3)]
				way, dies, died := ways[random.IntN(len(ways))], random.IntN(4) == 0, false
				_, _ = q.send(ctx, r, func(ctx context.Context, c *command.Command) (*order, error) {
					if dies {
						died = true
						bury(t, p, r.Instance)
						sweep(t, p.of(lives[n+1]))
					}
					if q.op == place {
						return way(ctx, c)
					}
					return succeed(ctx, c)
				})
				if died {
					r.Instance = lives[n+1]
				}
				sweep(t, p.of(r.Instance))
			}
		})
	}
	all.Wait()
	compareWithLog(t, p)

	until(t, "all that is not in doubt has ended", func() bool {
		sweep(t, p.of(p.silent(t, hour)))
		return p.count(t, `SELECT count(*) FROM open_commands WHERE NOT in_doubt`) == 0
	})
	for id, l := range p.looks(t) {
		if mine, err := p.register.Claim(t.Context(), l); !mine || err != nil {
			t.Fatalf("claimed %s: %t, %v", id, mine, err)
		}
		settle(t, p, id, command.Verdict{By: event.ByFlow})
	}
	compareWithLog(t, p)
	if n := p.count(t, `SELECT count(*) FROM (SELECT FROM events WHERE type = 'effect.started' GROUP BY stream_id HAVING count(*) > 1) twice`); n != 0 {
		t.Errorf("%d commands have started two effects", n)
	}
	if n := p.count(t, `SELECT count(*) FROM open_commands`); n != 0 {
		t.Errorf("%d commands are open", n)
	}
}

// script is what becomes of appends, most of which come through.
func script(random *rand.Rand, n int) []step {
	steps := make([]step, n)
	for i := range steps {
		if random.IntN(6) == 0 {
			steps[i] = unheard + step(random.IntN(2))
		}
	}
	return steps
}

// compareWithLog compares the register with the events, of one snapshot.
func compareWithLog(t *testing.T, p parts) {
	t.Helper()
	err := pgx.BeginTxFunc(t.Context(), p.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), openByLog)
		if err != nil {
			return err
		}
		told, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
		if err != nil {
			return err
		}
		want := []row{}
		for _, r := range told {
			if !r.Finished {
				want = append(want, r)
			}
		}
		rows, err = tx.Query(t.Context(), `SELECT id, effect, started, in_doubt, false FROM open_commands ORDER BY id`)
		if err != nil {
			return err
		}
		got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("register (-by the log +as it is):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A log that was there before the register: what is open in it is found.
func TestRegisterIsFilledFromTheLog(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	for _, a := range []act{succeed, confirm, breakOff} {
		if _, err := newRequest().send(t.Context(), r, a); err != nil && contracts.AsError(err).Kind != contracts.Unknown {
			t.Fatal(err)
		}
	}
	accept(t, p, newRequest())
	if _, err := creating("account-3").send(t.Context(), r, placing("7")); err != nil {
		t.Fatal(err)
	}
	session := event.SessionStream("s")
	appendTo(t, p, session, 0, "account-1", event.SessionOpened{User: userOf("account-1")})
	appendTo(t, p, session, 1, "account-1", event.SessionClosed{Reason: event.SessionLost})
	appendTo(t, p, event.SessionStream("another"), 0, "account-2", event.SessionOpened{})
	dead, q := p.dead(t, kept, kept), newRequest()
	q.account = "account-2"
	if _, err := q.send(t.Context(), dead, confirm); err == nil {
		t.Fatal("it ended")
	}
	before := p.count(t, `SELECT count(*) FROM open_commands`)
	derived := derivedFromLog(t, p)
	for _, statement := range []string{
		`DROP FUNCTION keep_open_commands, claim_effect, keep_user_sessions, keep_late_checks, attend_late_checks CASCADE`,
		`DROP FUNCTION lease_user, command_may_begin_again, fill_from_log, rebuild_open_commands, begin_late_checks, late_effect, user_of, created_by,
			last_attempt, attended_since`,
		`DROP TABLE open_commands, user_sessions, state_generations, created_effects, late_checks, instances, command_version`,
	} {
		if err := p.asSuperuser(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := command.Migrate(t.Context(), p.url); err != nil {
		t.Fatal(err)
	}
	if n := p.count(t, `SELECT count(*) FROM open_commands`); n != before || n != 3 {
		t.Errorf("%d commands are open, %d were", n, before)
	}
	if diff := cmp.Diff(derived, derivedFromLog(t, p)); diff != "" {
		t.Errorf("what follows the log (-before +filled):\n%s", diff)
	}
	sweep(t, p.recorder(t))
	if n := p.count(t, `SELECT count(*) FROM open_commands WHERE in_doubt AND started AND effect = 'order'`); n != 2 {
		t.Errorf("%d commands are in doubt", n)
	}
	if n := p.count(t, `SELECT count(*) FROM open_commands`); n != 2 {
		t.Errorf("%d commands are open", n)
	}
}

// Events that are restored to the log pass the register's trigger by: it is
// rebuilt from them.
func TestRegisterIsRebuiltForRestoredCommands(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	var ids []string
	for i, script := range [][]step{nil, {kept}, {kept, kept}, {kept, kept, kept}} {
		q := newRequest()
		q.account = "account-" + strconv.Itoa(i)
		ids = append(ids, q.id)
		r := p.dead(t, script...)
		if i == 0 {
			r = p.recorder(t)
		}
		if _, err := q.send(t.Context(), r, breakOff); err == nil {
			t.Fatal("it succeeded")
		}
	}
	const register = `SELECT coalesce(string_agg(concat_ws(' ', id, integration, account, site_user, instance, effect, started, in_doubt), ',' ORDER BY id), '') FROM open_commands`
	var before, after string
	if err := p.pool.QueryRow(t.Context(), register).Scan(&before); err != nil || strings.Count(before, ",") != 3 {
		t.Fatalf("the register has %s, %v", before, err)
	}
	owner := newPool(t, schema.As(p.url, schema.Owner))
	err := pgx.BeginFunc(t.Context(), owner, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `UPDATE open_commands SET started = NOT started, leased = true WHERE id = $1`, ids[1]); err != nil {
			return err
		}
		if _, err := tx.Exec(t.Context(), `DELETE FROM open_commands WHERE id <> $1`, ids[1]); err != nil {
			return err
		}
		return command.Rebuild(t.Context(), tx, append(ids, ids...))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.pool.QueryRow(t.Context(), register).Scan(&after); err != nil || after != before {
		t.Errorf("the register has %s, had %s, %v", after, before, err)
	}
}

// A session that had ended before the last attempt was not open beside it.
func TestRebuiltRegisterKnowsTheSessionsOfTheLastAttempt(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	session := func(account string) {
		stream := event.SessionStream(uuid.NewString())
		appendTo(t, p, stream, 0, account, event.SessionOpened{User: userOf(account)})
		appendTo(t, p, stream, 1, account, event.SessionClosed{Reason: event.SessionReleased})
	}
	for account, c := range map[string]struct {
		late     bool // it is settled before the log is restored
		attended bool
	}{"account-1": {}, "account-2": {attended: true}, "account-3": {late: true}, "account-4": {late: true, attended: true}} {
		q := creating(account)
		if _, err := q.send(t.Context(), r, fails(contracts.Unavailable)); contracts.AsError(err).Final {
			t.Fatal(err)
		}
		session(account)
		_, err := q.send(t.Context(), r, func(ctx context.Context, c2 *command.Command) (*order, error) {
			if c.attended {
				session(account)
			}
			return breakOff(ctx, c2)
		})
		if contracts.AsError(err).Kind != contracts.Unknown {
			t.Fatal(err)
		}
		if c.late {
			settle(t, p, q.id, command.Verdict{By: event.ByFlow, ChecksAfter: []time.Duration{day}})
		}
		for _, when := range []string{"before", "after"} {
			n := p.count(t, `SELECT count(*) FROM (SELECT id, attended FROM open_commands UNION ALL SELECT command, attended FROM late_checks) c
				WHERE id = $1 AND attended = $2`, q.id, c.attended)
			if n != 1 {
				t.Errorf("%s: attended is not %t %s the log was restored", account, c.attended, when)
			}
			rebuild(t, p, q.id)
		}
	}
}

// derivedFromLog is all that follows the log beside which commands are open.
func derivedFromLog(t *testing.T, p parts) (all []string) {
	t.Helper()
	rows, err := p.pool.Query(t.Context(), `
		SELECT concat_ws(' ', 'open', id, site_user, attended) AS told FROM open_commands WHERE started
		UNION ALL SELECT concat_ws(' ', 'session', id, account, site_user) FROM user_sessions
		UNION ALL SELECT concat_ws(' ', 'generation', account, generation) FROM state_generations
		UNION ALL SELECT concat_ws(' ', 'created', created, command) FROM created_effects ORDER BY told`)
	if err == nil {
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, line := range all {
		kind, _, _ := strings.Cut(line, " ")
		kinds[kind] = true
	}
	if len(kinds) != 4 {
		t.Errorf("only some follow the log: %v", all)
	}
	return all
}
