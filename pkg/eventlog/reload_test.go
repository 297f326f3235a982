package eventlog

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/schema"
)

// dump keeps what the log's tables hold, as pg_dump does.
func (s *setup) dump(t *testing.T) {
	t.Helper()
	s.eachTable(t, func(table string) string {
		return `CREATE TABLE dumped_` + table + ` (LIKE ` + table + ` INCLUDING ALL);
			INSERT INTO dumped_` + table + ` OVERRIDING SYSTEM VALUE SELECT * FROM ` + table
	})
}

// reload makes the tables anew from what dump has kept, as pg_restore does, while
// the server goes on running.
func (s *setup) reload(t *testing.T) {
	t.Helper()
	s.eachTable(t, func(table string) string {
		return `DROP TABLE ` + table + `; ALTER TABLE dumped_` + table + ` RENAME TO ` + table
	})
}

func (s *setup) eachTable(t *testing.T, statements func(table string) string) {
	t.Helper()
	err := pgx.BeginFunc(limited(t), s.log.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SET LOCAL ROLE `+schema.Owner)
		for _, table := range append(slices.Clone(grown), "log_cursor", "log_epoch") {
			_, errTable := tx.Exec(t.Context(), statements(table))
			err = errors.Join(err, errTable)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A dump that is loaded into a running server may hold less than the log did, so
// nothing is appended until a keeper has looked.
func TestALogThatWasReloadedIsClosedUntilAKeeperHasComparedIt(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]int{"it is whole": 0, "it lacks its end": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			_, stop := s.keep(t)
			s.fill(t, 3)
			s.awaitCopy(t, 3)
			s.dump(t)
			if lost > 0 {
				s.fill(t, lost)
				s.awaitCopy(t, int64(3+lost))
			}
			stop()
			s.reload(t)
			if _, err := s.log.Append(limited(t), stream, event.Event{}, accepted(t, "")); !errors.Is(err, ErrClosed) {
				t.Errorf("append to tables that were made anew: %v", err)
			}
			k, _ := s.keep(t)
			if lost > 0 {
				s.isClosed(t, k)
				return
			}
			until(t, "the log is open", func(context.Context) bool { return s.state(t).Open })
			s.fill(t, 1)
			s.awaitCopy(t, 4)
		})
	}
}
