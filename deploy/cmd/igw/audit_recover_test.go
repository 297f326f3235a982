package main

import (
	"os"
	"strings"
	"testing"

	"integration.gateway/deploy/migration"
)

// A database that lacks its last four events, as one restored from a backup
// does, gets them back from the copy, and proves itself as before.
func TestRecoverRestoresWhatTheDatabaseLost(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	admin := h.migrate()
	h.succeeds("audit", "verify", "--kept", h.file("kept"))
	h.damage(`UPDATE log_epoch SET started = '-infinity'`)
	if told := h.succeeds("audit", "verify"); !strings.Contains(told, "the log is closed") {
		t.Errorf("of a log that may lack its end: %s", told)
	}
	h.vars["DATABASE_URL"] = admin
	if told := h.succeeds("audit", "recover"); !strings.Contains(told, "lacks nothing") {
		t.Errorf("a log that is whole: %s", told)
	}
	h.damage(`ALTER TABLE log DISABLE TRIGGER log_grow`, `ALTER TABLE log_checkpoint DISABLE TRIGGER log_checkpoint_grow`,
		`DELETE FROM events e USING log l WHERE l.stream_id = e.stream_id AND l.version = e.version AND l.seq > 2`,
		`DELETE FROM log WHERE seq > 2`, `DELETE FROM log_checkpoint WHERE size > 2`,
		`UPDATE log_cursor SET seq = 2, epoch = e.epoch, xid = e.xid, place = e.place FROM events e WHERE e.version = 2`)
	h.fails(exitFailed, "nothing was done", "audit", "recover")
	if told := h.succeeds("audit", "recover", "--yes"); !strings.Contains(told, "lacks 4 events of the copy and 0 of the journal") {
		t.Errorf("got %s", told)
	}
	if told := h.succeeds("audit", "verify", "--kept", h.file("kept")); !strings.Contains(told, "6, of 3 streams") {
		t.Errorf("got %s", told)
	}
}

// migrate adds the tables that an installation has beside the log, and returns
// the URL of its database as an administrator has it.
func (h *history) migrate() (databaseURL string) {
	h.Helper()
	databaseURL = h.pool.Config().ConnString()
	if err := migration.Apply(h.Context(), databaseURL, databaseURL); err != nil {
		h.Fatal(err)
	}
	return databaseURL
}

// Where the log went on in its own way, both ways are shown and nothing is done.
func TestRecoverShowsAForkAndLeavesTheChoice(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.vars["DATABASE_URL"] = h.migrate()
	h.damage(`ALTER TABLE log DISABLE TRIGGER log_grow`, `ALTER TABLE log_checkpoint DISABLE TRIGGER log_checkpoint_grow`,
		`DELETE FROM log_checkpoint`,
		`UPDATE log SET stream_id = o.stream_id, version = o.version + 10, hash = sha256(o.hash) FROM (SELECT * FROM log) o WHERE log.seq = 6 AND o.seq = 6`,
		`UPDATE events SET version = version + 10, hash = sha256(hash), id = 'another' WHERE id IN (
			SELECT e.id FROM events e JOIN log l ON l.stream_id = e.stream_id AND l.version = e.version + 10)`,
		`UPDATE log_epoch SET started = '-infinity'`)
	out := h.igw("audit", "recover")
	if out.code != exitFailed || !strings.Contains(out.stderr, "only a person can choose") || strings.Count(out.stdout, "command.completed") != 2 {
		t.Errorf("got %+v", out)
	}
	h.fails(exitFailed, "go together", "audit", "recover", "--keep", "log")
	if told := h.succeeds("audit", "recover", "--keep", "log", "--save", h.file("saved"), "--yes"); !strings.Contains(told, "the log stands") {
		t.Errorf("got %s", told)
	}
	if info, err := os.Stat(h.file("saved")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of what did not fit: %v, %v", info, err)
	}
}
