package readmodel

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

func limitedBy(t *rapid.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	t.Cleanup(cancel)
	return ctx
}

// Whatever happens in the log, and whenever one of two projectors is killed,
// the live rows are in the end those that a replay makes.
func TestLiveRowsAreWhatAReplayMakes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	file := filepath.Join(t.TempDir(), "rebuilt")
	w := &world{bundle: b, rows: map[string]int64{}}
	rapid.Check(t, func(t *rapid.T) {
		for _, act := range rapid.SliceOfN(rapid.SampledFrom(acts), 1, 15).Draw(t, "acts") {
			w.act(t, act)
		}
		ctx := limitedBy(t)
		b.sequence(ctx, t)
		b.project(ctx, t)
		r := b.rebuild(ctx, t, file) // goes on with what the check before left
		defer func() { _ = r.Close() }()
		c, err := r.Compare(ctx, b.owner)
		if err != nil {
			t.Fatalf("%v", err)
		}
		w.check(t, c)
	})
	w.check(t, b.compare(t)) // once more from nothing, in one go
}

var acts = []string{"begin", "begin", "append", "append", "append", "sequence", "project", "project elsewhere", "kill"}

func (w *world) act(t *rapid.T, act string) {
	ctx := limitedBy(t)
	switch act {
	case "begin":
		w.open = append(w.open, newHistory(t))
	case "append":
		w.appendSome(ctx, t)
	case "sequence":
		w.sequence(ctx, t)
	case "project":
		mustStep(ctx, t, w.here)
	case "project elsewhere":
		mustStep(ctx, t, w.there)
	case "kill":
		ctx, cancel := context.WithTimeout(ctx, time.Duration(rapid.IntRange(0, 20_000).Draw(t, "µs"))*time.Microsecond)
		defer cancel()
		if _, err := w.here.step(ctx); err != nil && ctx.Err() == nil {
			t.Fatalf("%v", err)
		}
	}
}

func mustStep(ctx context.Context, t failer, p *Projector) {
	t.Helper()
	if _, err := p.step(ctx); err != nil {
		t.Fatalf("%v", err)
	}
}

// fill appends n commands, each with three events.
func (b *bundle) fill(ctx context.Context, t failer, n int) {
	t.Helper()
	for range n {
		b.append(ctx, t, event.CommandStream(uuid.Must(uuid.NewV7()).String()), 0,
			of(t, event.CommandAccepted{Site: "sandbox"}), of(t, event.EffectStarted{Effect: contracts.Order}),
			of(t, event.CommandCompleted{Outcome: event.Succeeded}))
	}
}

func TestProjectorsSideBySideFollowTheLogFromZero(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithCancel(limited(t))
	b.fill(ctx, t, 300) // more than a batch is there before they start
	b.sequence(ctx, t)
	var running sync.WaitGroup
	for _, p := range []*Projector{b.here, b.there} {
		running.Go(func() {
			if err := p.Run(ctx); err != nil {
				t.Errorf("run: %v", err)
			}
		})
	}
	b.fill(ctx, t, 100)
	head := b.sequence(ctx, t)
	b.await(ctx, t, head)
	c := b.compare(t)
	cancel()
	running.Wait()
	want := Comparison{Seq: 1200, Models: []Count{{"command", 400, 400}, {"session", 0, 0}, {"account", 0, 0}}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("comparison (-want +got):\n%s", diff)
	}
	if b.processLog.String() != "" {
		t.Errorf("the process log says:\n%s", b.processLog.String())
	}
}

// await returns once the live rows count in the events up to head.
func (b *bundle) await(ctx context.Context, t *testing.T, head int64) {
	t.Helper()
	for {
		seq, err := Projected(ctx, b.pool)
		if err != nil {
			t.Fatal(err)
		}
		if seq >= head {
			return
		}
		sleep(ctx, time.Millisecond)
	}
}

// While one projector is at work, the other leaves the rows alone and does not wait.
func TestProjectorLeavesTheWorkToAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	b.fill(ctx, t, 1)
	b.sequence(ctx, t)
	tx, err := b.owner.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock('read_cursor'::regclass::oid::integer, 0)`); err != nil {
		t.Fatal(err)
	}
	if done, err := b.here.step(ctx); done != 0 || err != nil {
		t.Errorf("got %d, %v", done, err)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if done, err := b.here.step(ctx); done != 3 || err != nil {
		t.Errorf("once the other is done: got %d, %v", done, err)
	}
}

// Rows and cursor change together or not at all.
func TestStepThatFailsAtItsEndHasDoneNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	b.fill(ctx, t, 1)
	b.sequence(ctx, t)
	b.exec(t, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$`)
	b.exec(t, `CREATE TRIGGER refused BEFORE UPDATE ON read_cursor FOR EACH ROW EXECUTE FUNCTION refuse()`)
	if done, err := b.here.step(ctx); done != 0 || err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("got %d, %v", done, err)
	}
	if found, err := Commands(ctx, b.pool, CommandFilter{}, 10); err != nil || len(found) != 0 {
		t.Errorf("got %+v, %v", found, err)
	}
	b.exec(t, `DROP TRIGGER refused ON read_cursor`)
	b.project(ctx, t)
	if c := b.compare(t); c.Seq != 3 || c.Differing != 0 {
		t.Errorf("got %+v", c)
	}
}

func TestEventThatIsNotUnderstoodDoesNotStopTheProjector(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	wrong := raw(event.TypeCommandCompleted, `["PRIVATE"]`)
	b.append(ctx, t, event.CommandStream("c1"), 0, of(t, event.CommandAccepted{}), wrong)
	b.fill(ctx, t, 1)
	b.sequence(ctx, t)
	b.project(ctx, t)
	if c := b.compare(t); c.Differing != 0 || c.Seq != 5 {
		t.Errorf("got %+v", c)
	}
	found, err := Commands(ctx, b.pool, CommandFilter{}, 1000)
	if i := slices.IndexFunc(found, func(c Command) bool { return c.ID == "c1" }); err != nil || i < 0 || !strings.Contains(found[i].Problem, wrong.ID) {
		t.Errorf("got %+v, %v", found, err)
	}
	said := b.processLog.String()
	if strings.Count(said, wrong.ID) != 1 || !strings.Contains(said, "level=ERROR") || strings.Contains(said, "PRIVATE") {
		t.Errorf("the process log says:\n%s", said)
	}
}

// brokenLog cannot be read while it is broken.
type brokenLog struct {
	Log
	mu     sync.Mutex
	broken bool
	asked  chan struct{} // holds one; what was asked while it was broken
}

func (l *brokenLog) Range(ctx context.Context, afterSeq int64, limit int) ([]event.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.broken {
		return l.Log.Range(ctx, afterSeq, limit)
	}
	select {
	case l.asked <- struct{}{}:
	default:
	}
	return nil, errors.New("the connection is refused")
}

func (l *brokenLog) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = false
}

func TestProjectorTellsWhatFailsAndGoesOnAfterwards(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithCancel(limited(t))
	defer cancel()
	b.fill(ctx, t, 1)
	b.sequence(ctx, t)
	broken := &brokenLog{Log: b.log, broken: true, asked: make(chan struct{}, 1)}
	b.here.log = broken
	var running sync.WaitGroup
	running.Go(func() {
		if err := b.here.Run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	<-broken.asked
	<-broken.asked // the first failure is reported by now
	if err := b.here.Err(); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("while the log cannot be read: got %v", err)
	}
	broken.mend()
	b.await(ctx, t, 3)
	for b.here.Err() != nil && ctx.Err() == nil {
		sleep(ctx, time.Millisecond)
	}
	cancel()
	running.Wait()
	if said := b.processLog.String(); !strings.Contains(said, "level=ERROR") || !strings.Contains(said, "fall behind") {
		t.Errorf("the process log says:\n%s", said)
	}
}

func TestKeepersRoleCannotTakeRowsAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, table := range []string{"read_commands", "read_sessions", "read_accounts", "read_cursor"} {
		for _, statement := range []string{"DELETE FROM %s", "TRUNCATE %s", "DROP TABLE %s"} {
			if _, err := b.pool.Exec(limited(t), fmt.Sprintf(statement, table)); err == nil {
				t.Errorf("%s was allowed on %s", statement, table)
			}
		}
	}
}
