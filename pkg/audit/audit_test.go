package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/audit"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/proof"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// testLimit bounds every wait of a test.
const testLimit = 60 * time.Second

// record is a signed log of ten commands, four events each, whose events
// stand among each other, with a checkpoint every five events or so.
type record struct {
	log     *eventlog.Log
	pool    *pgxpool.Pool // a superuser's, as is who damages the log
	natsURL string
	signer  *proof.Signer
	trust   proof.Trust // the auditor's: the key, from outside
}

const recorded = 40

func newRecord(t *testing.T) *record {
	t.Helper()
	databaseURL := testenv.DatabaseURL(t)
	if err := eventlogtest.Migrate(t.Context(), databaseURL); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	private, verifier, err := proof.GenerateKey("gateway.example.com/events")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := proof.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	r := &record{log: eventlog.New(pool), pool: pool, natsURL: testenv.NATSURL(t), signer: signer, trust: proof.Trust{Verifiers: []string{verifier}}}
	end := r.keep(t)
	for part := range 8 {
		r.append(t, part/2, part%2*5)
		r.signed(t, int64(part+1)*5)
	}
	end()
	return r
}

// append adds the events of one version to five commands' streams.
func (r *record) append(t *testing.T, version, first int) {
	t.Helper()
	types := []string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted}
	for i := first; i < first+5; i++ {
		id := fmt.Sprintf("c%d", i)
		last, err := r.log.Last(t.Context(), event.CommandStream(id))
		if err != nil || last.Version != int64(version) {
			t.Fatalf("%s has version %d: %v", last.Stream, last.Version, err)
		}
		_, err = r.log.Append(t.Context(), event.CommandStream(id), last, event.Event{
			Type: types[version], Integration: "marketplace", Operation: "buy-now",
			Command: id, Caller: "caller", Account: fmt.Sprintf("a%d", i%3), Data: json.RawMessage(`{"n":1}`),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// keep runs a keeper, which signs, until the function that it returns is called.
func (r *record) keep(t *testing.T) (end func()) {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	nc, err := bus.Connect(r.natsURL, "keeper", logger)
	if err != nil {
		t.Fatal(err)
	}
	keeper := eventlog.NewKeeper(eventlog.KeeperConfig{
		Pool: r.pool, NATS: nc, Logger: logger, Signer: r.signer, CheckpointEvents: 5, CheckpointAge: 20 * time.Millisecond,
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- keeper.Run(ctx) }()
	end = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		nc.Close()
	}
	return end
}

// signed waits until a checkpoint covers size events.
func (r *record) signed(t *testing.T, size int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		last, err := r.log.LastCheckpoint(ctx)
		if err != nil && !errors.Is(err, eventlog.ErrNotFound) {
			t.Fatal(err)
		}
		if last.Size >= size {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			t.Fatalf("no checkpoint covers %d events; the last covers %d", size, last.Size)
		}
	}
}

func (r *record) verify(t *testing.T) (proof.Report, error) {
	t.Helper()
	return audit.Verify(t.Context(), r.log, r.trust, nil)
}

func (r *record) export(t *testing.T, filter eventlog.Filter) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := audit.Export(t.Context(), r.log, &b, filter, r.trust.Kept, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// damage does as a superuser what nobody may do.
func (r *record) damage(t *testing.T, statements ...string) {
	t.Helper()
	tx, err := r.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	for _, statement := range append([]string{
		`ALTER TABLE events DISABLE TRIGGER events_grow`, `ALTER TABLE log DISABLE TRIGGER log_grow`,
		`ALTER TABLE log_checkpoint DISABLE TRIGGER ALL`, `ALTER TABLE log_node DISABLE TRIGGER ALL`,
	}, statements...) {
		if _, err := tx.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAnHonestLogVerifiesInTheDatabaseAndFromItsBundle(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	inDatabase, err := r.verify(t)
	if err != nil {
		t.Fatal(err)
	}
	fromBundle, err := proof.VerifyBundle(bytes.NewReader(r.export(t, eventlog.Filter{})), r.trust)
	if err != nil {
		t.Fatal(err)
	}
	for where, report := range map[string]proof.Report{"database": inDatabase, "bundle": fromBundle} {
		if report.Events != recorded || report.Streams != 10 || !report.Whole || report.OwnKeys || report.Last.Size != recorded || report.Checkpoints < 8 {
			t.Errorf("%s: %+v", where, report)
		}
	}
}

func TestAnAuditorWithoutTheKeyIsToldSo(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.trust = proof.Trust{}
	report, err := r.verify(t)
	if err != nil || !report.OwnKeys || len(report.Verifiers) != 1 {
		t.Errorf("got %+v, %v", report, err)
	}
}

func TestABundleOfOneAccountProvesItsEventsAndThatTheLogHasGrown(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	kept, err := r.log.Checkpoints(t.Context(), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	first, err := proof.OpenCheckpoint(kept[0].Note, r.trust.Verifiers...)
	if err != nil {
		t.Fatal(err)
	}
	r.trust.Kept = []proof.Checkpoint{first}
	bundle := r.export(t, eventlog.Filter{Account: "a1"})
	report, err := proof.VerifyBundle(bytes.NewReader(bundle), r.trust)
	if err != nil {
		t.Fatal(err)
	}
	if report.Events != 12 || report.Streams != 3 || report.Whole || len(report.Unlinked) != 0 {
		t.Errorf("got %+v", report)
	}
	if bytes.Contains(bundle, []byte(" a2 ")) {
		t.Error("the bundle holds another account's events")
	}
}

func TestALogWithoutACheckpointProvesNothing(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	if err := eventlogtest.Migrate(t.Context(), databaseURL); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	log := eventlog.New(pool)
	_, err = audit.Export(t.Context(), log, &bytes.Buffer{}, eventlog.Filter{}, nil, nil)
	if !errors.Is(err, audit.ErrNothingSigned) {
		t.Errorf("export: got %v", err)
	}
	if _, err := audit.Verify(t.Context(), log, proof.Trust{}, nil); !errors.Is(err, audit.ErrNothingSigned) {
		t.Errorf("verify: got %v", err)
	}
}

// swap exchanges the places of two events, of different streams, in the log.
const swap = `
	UPDATE log SET seq = -1 WHERE seq = 7;
	UPDATE log SET seq = 7 WHERE seq = 8;
	UPDATE log SET seq = 8 WHERE seq = -1`

// rehash makes the hash of event 7 fit whatever it holds.
const rehash = `
	UPDATE events SET hash = event_hash(prev_hash, id, type, stream_id, version, recorded_at, integration, operation, command, caller, account, data)
		WHERE (stream_id, version) = (SELECT stream_id, version FROM log WHERE seq = 7)`

const ofEvent7 = ` WHERE (stream_id, version) = (SELECT stream_id, version FROM log WHERE seq = 7)`

func TestDamageInTheDatabaseIsFoundThereAndOffLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		statements []string
		from, to   int64 // the events among which the first wrong one must be named
	}{
		{"a flipped byte", []string{`UPDATE events SET data = set_byte(data, 0, get_byte(data, 0) # 1)` + ofEvent7}, 7, 7},
		{"another caller", []string{`UPDATE events SET caller = 'x'` + ofEvent7}, 7, 7},
		{"a changed event whose hash was made to fit", []string{`UPDATE events SET caller = 'x'` + ofEvent7, rehash}, 7, 7},
		{"a changed event whose hash and leaf were made to fit", []string{
			`UPDATE events SET caller = 'x'` + ofEvent7, rehash,
			`UPDATE log l SET hash = e.hash FROM events e WHERE l.seq = 7 AND (l.stream_id, l.version) = (e.stream_id, e.version)`,
		}, 6, 10},
		{"a deleted event", []string{`DELETE FROM events` + ofEvent7}, 7, 7},
		{"a deleted event, with its place", []string{`DELETE FROM events` + ofEvent7, `DELETE FROM log WHERE seq = 7`}, 7, 7},
		{"a deleted event, the gap closed", []string{
			`DELETE FROM events` + ofEvent7, `DELETE FROM log WHERE seq = 7`,
			`UPDATE log SET seq = -seq WHERE seq > 7`, `UPDATE log SET seq = -seq - 1 WHERE seq < 0`, `UPDATE log_cursor SET seq = seq - 1`,
		}, 6, 17},
		{"a removed stream", []string{`DELETE FROM events WHERE stream_id = 'command/c2'`}, 3, 3},
		{"two swapped events", []string{swap}, 6, 10},
		{"a deleted tail", []string{
			`DELETE FROM events e USING log l WHERE l.seq > 33 AND (l.stream_id, l.version) = (e.stream_id, e.version)`,
			`DELETE FROM log WHERE seq > 33`, `UPDATE log_cursor SET seq = 33`,
		}, 31, 40},
		{"a forged checkpoint", []string{`UPDATE log_checkpoint SET note = convert_to(replace(convert_from(note, 'UTF8'), E'\n10\n', E'\n11\n'), 'UTF8') WHERE size = 10`}, 0, 40},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRecord(t)
			r.damage(t, tt.statements...)
			_, err := r.verify(t)
			expectFinding(t, "in the database", err, tt.from, tt.to)

			var bundle bytes.Buffer
			if _, err := audit.Export(t.Context(), r.log, &bundle, eventlog.Filter{}, nil, nil); err != nil {
				t.Fatal(err)
			}
			_, err = proof.VerifyBundle(&bundle, r.trust)
			expectFinding(t, "off line", err, tt.from, tt.to)
		})
	}
}

// A bundle holds nothing of what the database finds events by, and only what is in
// the log's order.
func TestDamageThatOnlySearchesAndStreamsShowIsFoundInTheDatabase(t *testing.T) {
	t.Parallel()
	const forged = `
		INSERT INTO events (stream_id, version, epoch, xid, place, recorded_at, id, type, integration, operation, command, caller, account, data, prev_hash, hash)
		SELECT stream_id, 5, epoch, xid, 1000, recorded_at, 'forged', type, integration, operation, command, caller, account, data, hash, hash
			FROM events WHERE stream_id = 'command/c2' AND version = 4`
	const place = `
		INSERT INTO log (seq, kind, version, recorded_at, stream_id, command, caller, account, hash)
		SELECT %s, kind, 5, recorded_at, stream_id, command, caller, account, hash
			FROM log WHERE stream_id = 'command/c2' AND version = 4`
	tests := []struct {
		name       string
		statements []string
		seq        int64
	}{
		{"hidden from its account", []string{`UPDATE log SET account = 'x' WHERE seq = 7`}, 7},
		{"hidden from its caller", []string{`UPDATE log SET caller = 'x' WHERE seq = 7`}, 7},
		{"hidden from its command", []string{`UPDATE log SET command = 'x' WHERE seq = 7`}, 7},
		{"found as another kind", []string{`UPDATE log SET kind = (SELECT kind FROM log WHERE seq = 40) WHERE seq = 7`}, 7},
		{"of a kind that is gone", []string{`UPDATE log SET kind = -1 WHERE seq = 7`}, 7},
		{"found at another time", []string{`UPDATE log SET recorded_at = recorded_at - interval '1 day' WHERE seq = 7`}, 7},
		{"put into a stream", []string{forged}, 0},
		{"put behind the head", []string{forged, fmt.Sprintf(place, "1000000")}, 1000000},
		{"put before the first", []string{forged, fmt.Sprintf(place, "0")}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRecord(t)
			r.damage(t, tt.statements...)
			_, err := r.verify(t)
			expectFinding(t, "in the database", err, tt.seq, tt.seq)
		})
	}
}

func expectFinding(t *testing.T, where string, err error, from, to int64) {
	t.Helper()
	var finding *proof.Finding
	if !errors.As(err, &finding) {
		t.Errorf("%s: got %v, want a finding", where, err)
		return
	}
	t.Logf("%s: %v", where, finding)
	if finding.FromSeq < from || finding.ToSeq > to {
		t.Errorf("%s: it names %d to %d, want it within %d to %d: %v", where, finding.FromSeq, finding.ToSeq, from, to, finding)
	}
}

func TestATailCutOffWithItsCheckpointsIsFoundByWhatTheAuditorKept(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	report, err := r.verify(t)
	if err != nil {
		t.Fatal(err)
	}
	r.damage(t,
		`DELETE FROM events e USING log l WHERE l.seq > 30 AND (l.stream_id, l.version) = (e.stream_id, e.version)`,
		`DELETE FROM log WHERE seq > 30`, `UPDATE log_cursor SET seq = 30`, `DELETE FROM log_checkpoint WHERE size > 30`,
	)
	if _, err := r.verify(t); err != nil {
		t.Fatalf("nothing in the log itself shows this damage, yet: %v", err)
	}
	r.trust = r.trust.Keep(report)
	_, err = r.verify(t)
	expectFinding(t, "in the database", err, 31, 40)
	_, err = proof.VerifyBundle(bytes.NewReader(r.export(t, eventlog.Filter{})), r.trust)
	expectFinding(t, "off line", err, 31, 40)
}

func TestAStoredSubtreeThatWasAlteredIsFound(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	const more = 300 // a subtree of 256 events is stored
	events := make([]event.Event, more)
	for i := range events {
		events[i] = event.Event{Type: event.TypeAccountSignedIn, Integration: "marketplace", Account: "a1", Data: json.RawMessage(`{}`)}
	}
	if _, err := r.log.Append(t.Context(), event.AccountStream("a1"), event.Event{}, events...); err != nil {
		t.Fatal(err)
	}
	end := r.keep(t)
	r.signed(t, recorded+more)
	end()
	if _, err := r.verify(t); err != nil {
		t.Fatal(err)
	}
	r.damage(t, `UPDATE log_node SET hash = sha256(hash)`)
	_, err := r.verify(t)
	expectFinding(t, "altered", err, 1, 256)
	r.damage(t, `DELETE FROM log_node`)
	_, err = r.verify(t)
	expectFinding(t, "gone", err, 1, 256)
}
