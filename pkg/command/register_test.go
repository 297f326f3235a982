package command_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
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
	dead, q := p.dead(t, kept, kept), newRequest()
	q.account = "account-2"
	if _, err := q.send(t.Context(), dead, confirm); err == nil {
		t.Fatal("it ended")
	}
	before := p.count(t, `SELECT count(*) FROM open_commands`)
	for _, statement := range []string{
		`DROP TRIGGER keep_open_commands ON events`, `DROP FUNCTION keep_open_commands, lease_account`,
		`DROP TRIGGER keep_late_checks ON events`, `DROP FUNCTION keep_late_checks, late_effect, owner_of`,
		`DROP TABLE open_commands, late_checks, instances, command_version`,
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
	sweep(t, p.recorder(t))
	if n := p.count(t, `SELECT count(*) FROM open_commands WHERE in_doubt AND started AND effect = 'order'`); n != 2 {
		t.Errorf("%d commands are in doubt", n)
	}
	if n := p.count(t, `SELECT count(*) FROM open_commands`); n != 2 {
		t.Errorf("%d commands are open", n)
	}
}
