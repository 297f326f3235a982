package command_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
)

// doubtful carries out a command whose effect falls into doubt.
func doubtful(t *testing.T, p parts, r command.Recorder) request {
	t.Helper()
	q := newRequest()
	if _, err := q.send(t.Context(), r, breakOff); contracts.AsError(err).Kind != contracts.Unknown {
		t.Fatalf("got %v", err)
	}
	return q
}

func TestEffectInDoubtKeepsOthersOfItsKindFromTheAccount(t *testing.T) {
	t.Parallel()
	for _, applied := range []bool{true, false} {
		t.Run(fmt.Sprint("applied ", applied), func(t *testing.T) {
			t.Parallel()
			p := newParts(t)
			r := p.recorder(t)
			doubt := doubtful(t, p, r)

			q := newRequest()
			_, err := q.send(t.Context(), p.recorder(t), confirm)
			if e := contracts.AsError(err); e.Kind != contracts.Busy || !strings.Contains(e.Message, doubt.id) || e.Outcome != contracts.NothingDone {
				t.Errorf("got %v", err)
			}
			if rejected := last[event.CommandRejected](t, p, q.id); rejected.Kind != contracts.Busy || !strings.Contains(rejected.Message, doubt.id) {
				t.Errorf("got %+v", rejected)
			}
			for name, change := range map[string]func(*request){
				"an effect of another kind": func(q *request) { q.op = fill },
				"another account":           func(q *request) { q.account = "account-2" },
				"a read":                    func(q *request) { q.op = read },
			} {
				q := newRequest()
				change(&q)
				if _, err := q.send(t.Context(), r, succeed); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}

			settle(t, p, doubt.id, command.Verdict{Applied: applied, By: event.ByFlow})
			if _, err := newRequest().send(t.Context(), r, confirm); err != nil {
				t.Errorf("after it is settled: %v", err)
			}
		})
	}
}

// An order would take out of the cart what tells whether something was put
// into it.
func TestCartInDoubtKeepsOrdersBack(t *testing.T) {
	t.Parallel()
	p, cart, wanted := newParts(t), newRequest(), newRequest()
	r := p.recorder(t)
	cart.op = fill
	_, err := cart.send(t.Context(), r, func(ctx context.Context, c *command.Command) (*order, error) {
		if err := c.Start(ctx, contracts.Cart, nil); err != nil {
			return nil, err
		}
		return nil, errors.New("the page went away")
	})
	if contracts.AsError(err).Kind != contracts.Unknown {
		t.Fatalf("got %v", err)
	}
	_, err = wanted.send(t.Context(), r, confirm)
	if e := contracts.AsError(err); e.Kind != contracts.Busy || !strings.Contains(e.Message, cart.id) {
		t.Errorf("got %v", err)
	}
}

func TestDoubtIsSettledOnce(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	q := doubtful(t, p, r)
	var settlings sync.WaitGroup
	results := make(chan error, instances)
	d, err := r.Doubt(t.Context(), q.id)
	if err != nil {
		t.Fatal(err)
	}
	for n := range instances {
		settlings.Go(func() { results <- r.Settle(t.Context(), d, command.Verdict{Applied: n == 0, By: event.ByFlow}) })
	}
	settlings.Wait()
	close(results)
	settled := 0
	for err := range results {
		if err == nil {
			settled++
		} else if !errors.Is(err, command.ErrSettled) {
			t.Errorf("got %v", err)
		}
	}
	want := []string{
		event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectUnknown, event.TypeEffectReconciled, event.TypeCommandCompleted,
	}
	if diff := cmp.Diff(want, types(p.events(t, q.id))); diff != "" || settled != 1 {
		t.Errorf("settled %d times, events (-want +got):\n%s", settled, diff)
	}
	if d, err := r.Doubt(t.Context(), q.id); err == nil && !d.Late || err != nil && contracts.AsError(err).Kind != contracts.Invalid {
		t.Errorf("got %+v, %v", d, err)
	}
	if _, err := r.Doubt(t.Context(), newRequest().id); contracts.AsError(err).Kind != contracts.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestDoubtIsOpenedAndSettledWithWhatIsKnown(t *testing.T) {
	t.Parallel()
	for name, erased := range map[string]bool{"account": false, "erased account": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newParts(t)
			r := p.recorder(t)
			q := doubtful(t, p, r)
			d, err := r.Doubt(t.Context(), q.id)
			if err != nil {
				t.Fatal(err)
			}
			if erased {
				if err := p.vault.Erase(t.Context(), q.account); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Open(t.Context(), d); (err != nil) != erased {
				t.Error(err)
			}
			if known := d.Vars["known"]; !erased && (known == nil || !strings.Contains(string(d.Request), "Elm Street")) {
				t.Errorf("opened as %s and %v", d.Request, d.Vars)
			}
			evidence := map[string]string{"seen": "Jane Roe's order"}
			long := &order{ID: "7", Address: strings.Repeat("x", event.MaxDataBytes)}
			if err := r.Settle(t.Context(), d, command.Verdict{Applied: true, By: event.ByFlow, Evidence: evidence, Result: long}); err != nil {
				t.Fatal(err)
			}
			if end := last[event.CommandCompleted](t, p, q.id); end.Outcome != event.Succeeded || end.Result != nil {
				t.Errorf("got outcome %s and %d bytes", end.Outcome, len(end.Result))
			}
			if reconciled := string(p.events(t, q.id)[3].Data); strings.Contains(reconciled, "Jane") || strings.Contains(reconciled, "sealed") == erased {
				t.Errorf("the log holds %s", reconciled)
			}
		})
	}
}

func TestDoubtIsClaimedByOneAndPausesDouble(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	q := doubtful(t, p, r)
	doubtful2 := newRequest()
	doubtful2.account = "account-2"
	if _, err := doubtful2.send(t.Context(), r, breakOff); contracts.AsError(err).Kind != contracts.Unknown {
		t.Fatal(err)
	}
	looks := p.looks(t)
	if len(looks) != 2 || !looks[q.id].Due || looks[doubtful2.id].User != "user of account-2" {
		t.Fatalf("looks %+v", looks)
	}
	var claims sync.WaitGroup
	claimed := make(chan string, 8)
	for range cap(claimed) / 2 {
		for id, l := range looks {
			claims.Go(func() {
				if mine, err := p.register.Claim(t.Context(), l); err != nil {
					t.Error(err)
				} else if mine {
					claimed <- id
				}
			})
		}
	}
	claims.Wait()
	close(claimed)
	got := map[string]int{}
	for id := range claimed {
		got[id]++
	}
	if diff := cmp.Diff(map[string]int{q.id: 1, doubtful2.id: 1}, got); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	if others, err := p.register.Looks(t.Context(), "another"); len(others) != 0 || err != nil {
		t.Errorf("another integration got %v, %v", others, err)
	}
	var pauses []int
	for _, looks := range []int{0, 1, 2, 3, 10, 11, 1000} {
		if _, err := p.pool.Exec(t.Context(), `UPDATE open_commands SET look_at = clock_timestamp() - interval '1 s', looks = $2 WHERE id = $1`, q.id, looks); err != nil {
			t.Fatal(err)
		}
		if mine, err := p.register.Claim(t.Context(), p.looks(t)[q.id]); !mine || err != nil {
			t.Fatalf("not claimed: %v", err)
		}
		pauses = append(pauses, p.count(t, `SELECT round(extract(epoch FROM look_at - clock_timestamp()))::bigint FROM open_commands WHERE id = $1`, q.id))
		if p.looks(t)[q.id].Due {
			t.Errorf("due at once after %d looks", looks)
		}
	}
	if diff := cmp.Diff([]int{2, 4, 8, 16, 2048, 3600, 3600}, pauses); diff != "" {
		t.Errorf("pauses in seconds (-want +got):\n%s", diff)
	}
}

// However many of a user's commands are in doubt, or to be looked at late, those of
// others are listed with them.
func TestLooksOfManyUsersAreListed(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	err := p.asSuperuser(t.Context(), `
		INSERT INTO open_commands (id, integration, account, site_user, instance, effect, started, in_doubt, looks, look_at)
			SELECT who || n, 'shop', who, who, 'i', 'order', true, true, 6, clock_timestamp() - ago
			FROM (VALUES ('a', interval '3 h', 10001), ('b', '2 h', 2), ('d', '-30 s', 1)) v (who, ago, many), generate_series(1, many) n;
		INSERT INTO late_checks (command, integration, account, site_user, effect, content, since, after, check_at, attended)
			SELECT 'c' || n, 'shop', 'c', 'c', 'order', '', clock_timestamp() - interval '2 h', '{3600000}', clock_timestamp() - interval '1 h', false
			FROM generate_series(1, 10001) n`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.register.Looks(t.Context(), "shop")
	if err != nil || len(all) != 1000 {
		t.Fatalf("%d looks, %v", len(all), err)
	}
	var users []string
	for _, l := range all[:6] {
		users = append(users, l.User)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "a", "b", "c"}, users); diff != "" {
		t.Errorf("users (-want +got):\n%s", diff)
	}
}

// looks returns an integration's looks by command.
func (p parts) looks(t *testing.T) map[string]command.Look {
	t.Helper()
	all, err := p.register.Looks(t.Context(), place.Integration)
	if err != nil {
		t.Fatal(err)
	}
	looks := map[string]command.Look{}
	for _, l := range all {
		looks[l.ID] = l
	}
	return looks
}

// A look stands at a time that the database's clock gave. When that is set back,
// looks go on all the same.
func TestClockThatIsSetBackStopsNoLooks(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	q := doubtful(t, p, p.recorder(t))
	for _, c := range []struct {
		looks int
		ahead string
		due   bool
	}{{1, "1 s", false}, {1, "2 min", true}, {8, "2 min", false}, {8, "10 min", true}, {30, "50 min", false}, {30, "2 h", true}} {
		if _, err := p.pool.Exec(t.Context(), `UPDATE open_commands SET look_at = clock_timestamp() + $2::text::interval, looks = $3 WHERE id = $1`, q.id, c.ahead, c.looks); err != nil {
			t.Fatal(err)
		}
		l := p.looks(t)[q.id]
		if mine, err := p.register.Claim(t.Context(), l); l.Due != c.due || mine != c.due || err != nil {
			t.Errorf("after %d looks, one in %s: due %t, claimed %t, %v", c.looks, c.ahead, l.Due, mine, err)
		}
	}
}
