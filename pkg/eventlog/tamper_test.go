package eventlog

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"integration.gateway/contracts/event"
)

func TestEventsCannotBeChangedOrTakenAway(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	mustAppend(t, log, stream, 0, accepted(t, "1"))
	sequenceAll(t, log)
	for _, statement := range []string{
		"UPDATE events SET caller = 'x'", "DELETE FROM events", "TRUNCATE events",
		"UPDATE log SET seq = 2", "DELETE FROM log", "TRUNCATE log",
		"SET session_replication_role = replica; DELETE FROM events",
	} {
		_, err := log.pool.Exec(ctx, statement)
		var pgErr *pgconn.PgError
		if !errors.As(err, &pgErr) || !strings.Contains(pgErr.Message, "only grows") {
			t.Errorf("%s: got %v, want a refusal", statement, err)
		}
	}
}

// The functions run with their owner's rights, so that what they write to must
// not be the caller's choice.
func TestATemporaryTableCannotStandInForTheLog(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	conn, err := log.pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "CREATE TEMPORARY TABLE events (LIKE events INCLUDING ALL)"); err != nil {
		t.Fatal(err)
	}
	if err := write(ctx, conn, true, newTestEntry(t, stream, "")); err != nil {
		t.Fatal(err)
	}
	if events, err := log.Stream(ctx, stream); err != nil || len(events) != 1 {
		t.Errorf("the log has %d events (%v), not 1", len(events), err)
	}
	if _, err := conn.Exec(ctx, "DROP TABLE pg_temp.events"); err != nil {
		t.Error(err)
	}
}

// Whoever owns the tables can switch the triggers off, but not mend a chain
// that somebody else has seen.
func TestVerifyStreamFindsWhatTheOwnerDidToTheTables(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ damage, want string }{
		"a byte of data":  {`UPDATE events SET data = set_byte(data, 5, 88) WHERE version = 2`, "event 2"},
		"another account": {`UPDATE events SET account = 'a2' WHERE version = 3`, "event 3"},
		"an earlier time": {`UPDATE events SET recorded_at = recorded_at - interval '1 microsecond' WHERE version = 1`, "event 1"},
		"one taken out":   {`DELETE FROM events WHERE version = 2`, "event 2"},
		"two swapped": {`UPDATE events SET version = -version WHERE version > 1;
			UPDATE events SET version = 5 + version WHERE version < 0`, "event 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, ctx := newLog(t), limited(t)
			mustAppend(t, log, stream, 0, accepted(t, "1"), accepted(t, "2"), accepted(t, "3"))
			if _, err := log.pool.Exec(ctx, "ALTER TABLE events DISABLE TRIGGER USER; "+tt.damage); err != nil {
				t.Fatal(err)
			}
			events, err := log.Stream(ctx, stream)
			if err != nil {
				t.Fatal(err)
			}
			if err := event.VerifyStream(events); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error at %s", err, tt.want)
			}
		})
	}
}

// sequenceAll gives every event its seq, without a keeper.
func sequenceAll(t testing.TB, log *Log) {
	t.Helper()
	ctx := limited(t)
	var unsequenced int
	for {
		if _, err := log.pool.Exec(ctx, `SELECT sequence_events(1000)`); err != nil {
			t.Fatal(err)
		}
		err := log.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM events) - (SELECT seq FROM log_cursor)`).Scan(&unsequenced)
		if err != nil {
			t.Fatal(err)
		}
		if unsequenced == 0 {
			return
		}
		// A transaction of another test is older than the last event.
		if err := sleep(ctx, shortestPoll); err != nil {
			t.Fatalf("%d events stay without a seq: %v", unsequenced, err)
		}
	}
}
