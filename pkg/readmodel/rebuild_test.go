package readmodel

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"integration.gateway/contracts/event"
)

func TestReplayThatIsBrokenOffGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	b.fill(ctx, t, 40)
	attached := []event.Event{of(t, event.SessionOpened{Expires: start})}
	for range 5379 {
		attached = append(attached, of(t, event.SessionAttached{}))
	}
	b.append(ctx, t, event.SessionStream("s1"), 0, attached...)
	b.sequence(ctx, t)
	b.project(ctx, t)
	file := filepath.Join(t.TempDir(), "rebuilt")

	var progress [][2]int64
	note := func(done, total int64) { progress = append(progress, [2]int64{done, total}) }
	stopped, stop := context.WithCancel(ctx)
	_, err := Rebuild(stopped, b.log, file, func(done, total int64) { note(done, total); stop() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	r, err := Rebuild(ctx, b.log, file, note)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if diff := cmp.Diff([][2]int64{{5000, 5500}, {5500, 5500}}, progress); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if c, err := r.Compare(ctx, b.owner); err != nil || c.Differing != 0 || c.Seq != 5500 {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestFileOfAnotherLogIsRefused(t *testing.T) {
	t.Parallel()
	b, other := setup(t), setup(t)
	ctx := limited(t)
	file := filepath.Join(t.TempDir(), "rebuilt")
	b.fill(ctx, t, 2)
	b.sequence(ctx, t)
	if err := b.rebuild(ctx, t, file).Close(); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 1, 5} { // shorter, as long, longer
		other.fill(ctx, t, n)
		other.sequence(ctx, t)
		_, err := Rebuild(ctx, other.log, file, nil)
		if !errors.Is(err, ErrOtherLog) || !strings.Contains(err.Error(), file) {
			t.Errorf("got %v", err)
		}
	}
	if err := b.rebuild(ctx, t, file).Close(); err != nil {
		t.Errorf("for its own log: %v", err)
	}
}

func TestFileOfSomethingElseIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, write := range map[string]func(file string) error{
		"text": func(file string) error { return os.WriteFile(file, []byte(strings.Repeat("a diary ", 10_000)), 0o600) },
		"another database": func(file string) error {
			return withFile(file, func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("diary")); return err })
		},
		"another version": func(file string) error {
			return withFile(file, func(tx *bolt.Tx) error {
				meta, err := tx.CreateBucket(metaBucket)
				return errors.Join(err, meta.Put(formatKey, []byte("v0")))
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "diary")
			if err := write(file); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Rebuild(limited(t), b.log, file, nil); err == nil || !strings.Contains(err.Error(), "name another") {
				t.Errorf("got %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

func withFile(file string, update func(*bolt.Tx) error) error {
	db, err := bolt.Open(file, 0o600, nil)
	if err != nil {
		return err
	}
	return errors.Join(db.Update(update), db.Close())
}

func TestFileInUseIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	file := filepath.Join(t.TempDir(), "rebuilt")
	r := b.rebuild(ctx, t, file)
	defer func() { _ = r.Close() }()
	if _, err := Rebuild(ctx, b.log, file, nil); err == nil || !strings.Contains(err.Error(), "another process is using the file") {
		t.Errorf("got %v", err)
	}
}

// Each damage of a live row is found, and its place is named.
func TestDamagedLiveRowsAreFoundAndNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage string
		want   []Difference
	}{
		"nothing": {`SELECT 1`, nil},
		"a changed state": {
			`UPDATE read_commands SET state = 'failed', failure = 'hm' WHERE id = 'c2'`,
			[]Difference{
				{Model: "command", ID: "c2", Field: "state", Live: `"failed"`, Rebuilt: `"succeeded"`},
				{Model: "command", ID: "c2", Field: "failure", Live: `"hm"`, Rebuilt: `""`},
			},
		},
		"an end taken away": {
			`UPDATE read_commands SET ended_at = NULL WHERE id = 'c1'`,
			[]Difference{{Model: "command", ID: "c1", Field: "ended_at", Rebuilt: "a time"}},
		},
		"a missing row in the middle": {`DELETE FROM read_commands WHERE id = 'c2'`, []Difference{{Model: "command", ID: "c2", Rebuilt: "a row"}}},
		"a missing row at the end":    {`DELETE FROM read_commands WHERE id = 'c3'`, []Difference{{Model: "command", ID: "c3", Rebuilt: "a row"}}},
		"the only row is missing":     {`DELETE FROM read_accounts`, []Difference{{Model: "account", ID: "a1", Rebuilt: "a row"}}},
		"a row too many, first": {
			`INSERT INTO read_commands SELECT (json_populate_record(r, '{"id":"b"}')).* FROM read_commands r WHERE id = 'c1'`,
			[]Difference{{Model: "command", ID: "b", Live: "a row"}},
		},
		"a row too many, last": {
			`INSERT INTO read_sessions SELECT (json_populate_record(r, '{"id":"z"}')).* FROM read_sessions r`,
			[]Difference{{Model: "session", ID: "z", Live: "a row"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ctx := limited(t)
			for _, id := range []string{"c1", "c2", "c3"} {
				b.append(ctx, t, event.CommandStream(id), 0, of(t, event.CommandAccepted{}), of(t, event.CommandCompleted{Outcome: event.Succeeded}))
			}
			b.append(ctx, t, event.AccountStream("a1"), 0, of(t, event.AccountLinked{}))
			b.append(ctx, t, event.SessionStream("s1"), 0, of(t, event.SessionOpened{Expires: start}))
			b.sequence(ctx, t)
			b.project(ctx, t)
			b.exec(t, c.damage)

			found := b.compare(t)
			rows := map[string]bool{}
			for i, d := range found.Differences {
				rows[d.ID] = true
				found.Differences[i].Live, found.Differences[i].Rebuilt = brief(d.Live), brief(d.Rebuilt)
				if !strings.HasPrefix(d.String(), d.Model+" "+d.ID) || !strings.Contains(d.String(), "log") {
					t.Errorf("it reads: %s", d)
				}
			}
			if diff := cmp.Diff(c.want, found.Differences); diff != "" || found.Differing != int64(len(rows)) {
				t.Errorf("%d rows differ (-want +got):\n%s", found.Differing, diff)
			}
		})
	}
}

// brief stands for what differs from run to run.
func brief(value string) string {
	switch {
	case strings.HasPrefix(value, "{"):
		return "a row"
	case strings.HasPrefix(value, `"20`):
		return "a time"
	}
	return value
}

func TestDifferencesAreCountedBeyondThoseThatAreNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	b.fill(ctx, t, maxDifferences+20)
	b.sequence(ctx, t)
	b.project(ctx, t)
	b.exec(t, `UPDATE read_commands SET state = 'failed'`)
	if c := b.compare(t); c.Differing != maxDifferences+20 || len(c.Differences) != maxDifferences {
		t.Errorf("%d rows differ, and %d differences are named", c.Differing, len(c.Differences))
	}
}

// The file is compared at the event that the live rows stand for, even when it
// was rebuilt before they came so far.
func TestCompareReplaysWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	b.fill(ctx, t, 1)
	b.sequence(ctx, t)
	b.project(ctx, t)
	r := b.rebuild(ctx, t, filepath.Join(t.TempDir(), "rebuilt"))
	defer func() { _ = r.Close() }()
	b.fill(ctx, t, 2)
	b.sequence(ctx, t)
	b.project(ctx, t)
	if c, err := r.Compare(ctx, b.owner); err != nil || c.Seq != 9 || c.Differing != 0 {
		t.Errorf("got %+v, %v", c, err)
	}
}
