package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/proof"
	"integration.gateway/pkg/readmodel"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/vault"
)

// waitLimit bounds every wait of a test.
const waitLimit = 60 * time.Second

// history is an event log of three commands, signed, with its read models.
type history struct {
	*testing.T
	dir      string
	pool     *pgxpool.Pool // a superuser's
	vars     map[string]string
	signer   *proof.Signer
	verifier string
}

// events is the number of events that a history has.
const events = 6

func newHistory(t *testing.T) *history {
	t.Helper()
	databaseURL := testenv.DatabaseURL(t)
	for _, migrate := range []func(context.Context, string) error{eventlogtest.Migrate, readmodel.Migrate} {
		if err := migrate(t.Context(), databaseURL); err != nil {
			t.Fatal(err)
		}
	}
	pool, err := pgxpool.New(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	h := &history{T: t, dir: t.TempDir(), pool: pool, vars: map[string]string{"DATABASE_URL": schema.As(databaseURL, schema.Auditor), "NATS_URL": testenv.NATSURL(t)}}
	h.record()
	return h
}

// record appends the events of three commands, orders and signs them.
func (h *history) record() {
	h.Helper()
	log := eventlog.New(h.pool)
	for i := range 3 {
		id := fmt.Sprintf("01a20000-0000-7000-8000-00000000000%d", i)
		accepted := event.Event{Type: event.TypeCommandAccepted, Data: json.RawMessage(`{"request":{"asin":"B0"},"site":"sandbox"}`)}
		completed := event.Event{Type: event.TypeCommandCompleted, Data: json.RawMessage(`{"outcome":"succeeded","durationMs":5}`)}
		for _, e := range []*event.Event{&accepted, &completed} {
			e.Integration, e.Operation, e.Command, e.Caller, e.Account = "marketplace", "buy-now", id, "caller", fmt.Sprintf("a%d", i)
		}
		if _, err := log.Append(h.Context(), event.CommandStream(id), event.Event{}, accepted, completed); err != nil {
			h.Fatal(err)
		}
	}
	private, verifier, err := proof.GenerateKey("gateway.example.com/events")
	if err != nil {
		h.Fatal(err)
	}
	h.verifier = verifier
	if h.signer, err = proof.NewSigner(private); err != nil {
		h.Fatal(err)
	}
	logger := slog.New(slog.DiscardHandler)
	nc, err := bus.Connect(h.vars["NATS_URL"], "keeper", logger)
	if err != nil {
		h.Fatal(err)
	}
	defer nc.Close()
	keeper := eventlog.NewKeeper(eventlog.KeeperConfig{Pool: h.pool, NATS: nc, Logger: logger, Signer: h.signer, CheckpointAge: 20 * time.Millisecond})
	projector := readmodel.NewProjector(h.pool, log, logger)
	ctx, cancel := context.WithCancel(h.Context())
	ended := make(chan error, 2)
	go func() { ended <- keeper.Run(ctx) }()
	go func() { ended <- projector.Run(ctx) }()
	h.await(func() bool {
		last, err := log.LastCheckpoint(h.Context())
		projected, projectedErr := readmodel.Projected(h.Context(), h.pool)
		state, stateErr := eventlog.State(h.Context(), h.pool, nc, eventlog.DefaultStream)
		return err == nil && last.Size == events && projectedErr == nil && projected == events && stateErr == nil && state.Copied == events
	})
	cancel()
	for range 2 {
		if err := <-ended; err != nil {
			h.Error(err)
		}
	}
}

func (h *history) await(condition func() bool) {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), waitLimit)
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !condition() {
		select {
		case <-look.C:
		case <-ctx.Done():
			h.Fatal("the log does not become what the test needs")
		}
	}
}

// igw runs one command line on the log's database.
func (h *history) igw(args ...string) output {
	h.Helper()
	var stdout, stderr bytes.Buffer
	code := run(h.Context(), args, console{
		env: func(string) string { return "" }, vars: h.vars, stdout: &stdout, stderr: &stderr,
	})
	return output{code, stdout.String(), stderr.String()}
}

// succeeds runs one command line that must end well.
func (h *history) succeeds(args ...string) string {
	h.Helper()
	out := h.igw(args...)
	if out.code != exitOK {
		h.Fatalf("igw %s: exit code %d: %s", strings.Join(args, " "), out.code, out.stderr)
	}
	return out.stdout
}

// fails runs one command line that must end with the code and the message.
func (h *history) fails(code int, message string, args ...string) {
	h.Helper()
	out := h.igw(args...)
	if out.code != code || !strings.Contains(out.stderr, message) {
		h.Errorf("igw %s: exit code %d, %q; want %d and %q", strings.Join(args, " "), out.code, out.stderr, code, message)
	}
}

func (h *history) file(name string) string { return filepath.Join(h.dir, name) }

func (h *history) read(name string) string {
	h.Helper()
	content, err := os.ReadFile(h.file(name))
	if err != nil {
		h.Fatal(err)
	}
	return string(content)
}

func (h *history) write(name, content string) {
	h.Helper()
	if err := os.WriteFile(h.file(name), []byte(content), 0o600); err != nil {
		h.Fatal(err)
	}
}

// damage does as a superuser what nobody may do.
func (h *history) damage(statements ...string) {
	h.Helper()
	for _, statement := range append([]string{`ALTER TABLE events DISABLE TRIGGER events_grow`}, statements...) {
		if _, err := h.pool.Exec(h.Context(), statement); err != nil {
			h.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestEventsAreListedAsATableOrAsLinesOfJSON(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	table := h.succeeds("events", "list", "--type", "command.completed")
	if lines := strings.Split(strings.TrimSpace(table), "\n"); len(lines) != 4 || !strings.Contains(lines[1], `"outcome":"succeeded"`) {
		t.Errorf("got\n%s", table)
	}
	lines := strings.Split(strings.TrimSpace(h.succeeds("--json", "events", "list", "--account", "a1")), "\n")
	if len(lines) != 2 {
		t.Fatalf("got %d lines", len(lines))
	}
	var e event.Event
	if err := json.Unmarshal([]byte(lines[0]), &e); err != nil || e.Account != "a1" || e.Type != event.TypeCommandAccepted || e.Seq == 0 {
		t.Errorf("got %+v, %v", e, err)
	}
	if more := h.succeeds("events", "list", "--limit", "2"); !strings.Contains(more, "go on with --after 2") {
		t.Errorf("got\n%s", more)
	}
	if rest := h.succeeds("events", "list", "--after", "2", "--limit", "0"); strings.Count(rest, "command.") != 4 {
		t.Errorf("got\n%s", rest)
	}
}

func TestSelectionsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.fails(exitUsage, "neither a date", "events", "list", "--since", "yesterday")
	h.fails(exitUsage, "not before", "events", "list", "--since", "2026-02-01", "--until", "2026-01-01")
	h.fails(exitUsage, "seq of an event", "events", "list", "--after=-1")
	h.fails(exitUsage, "no event can be", "events", "list", "--after", "5", "--up-to", "5")
	h.fails(exitFailed, "--limit", "events", "list", "--limit=-1")
	h.fails(exitFailed, "VAULT_KEEPER_URL", "events", "list", "--open")
	h.fails(exitFailed, "filters need --to", "events", "replay", "--account", "a1")
	h.fails(exitFailed, "choose another subject", "events", "replay", "--to", "evt.x")
	h.fails(exitFailed, "--rate", "events", "replay", "--to", "x", "--rate", "0")
	delete(h.vars, "DATABASE_URL")
	h.fails(exitFailed, "DATABASE_URL", "events", "list")
}

func TestAnExportThatWasCutShortIsGoneOnWith(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.succeeds("events", "export", h.file("all"))
	all := h.read("all")
	if strings.Count(all, "\n") != events {
		t.Fatalf("got\n%s", all)
	}
	h.fails(exitFailed, "is there already", "events", "export", h.file("all"))

	h.write("part", all[:len(all)/2])
	h.succeeds("events", "export", "--resume", h.file("part"))
	if h.read("part") != all {
		t.Errorf("got\n%s\nwant\n%s", h.read("part"), all)
	}
	h.succeeds("events", "export", "--resume", h.file("new"))
	if h.read("new") != all {
		t.Error("a file that is not there yet is not written whole")
	}
	h.write("letter", "Dear Sirs,\n")
	h.fails(exitFailed, "not an event", "events", "export", "--resume", h.file("letter"))
	if h.read("letter") != "Dear Sirs,\n" {
		t.Error("a file that is no export was changed")
	}
}

func TestWhatAnotherLogHasLeftIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	h, other := newHistory(t), newHistory(t)
	export := []string{"events", "export", "--resume", h.file("export")}
	replay := []string{"events", "replay", "--to", "again", "--state", h.file("state")}
	h.succeeds(export...)
	h.succeeds(replay...)
	exported, state := h.read("export"), h.read("state")

	other.fails(exitFailed, "not among those of this log", export...)
	h.fails(exitFailed, "and these flags", append(export, "--account", "a1")...)
	other.fails(exitFailed, "another log", replay...)
	if h.read("export") != exported || h.read("state") != state {
		t.Error("a file of another log was changed")
	}
	h.succeeds(append(export, "--since", "1h")...)
}

func TestAddressesThatCannotBeUsedDoNotShowTheirPasswords(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.vars["NATS_URL"] = "nats://igw:secret@127.0.0.1:x"
	for _, out := range []output{
		h.igw("events", "replay", "--to", "again"),
		h.igw("events", "replay", "--to", "again", "--rate", "NaN"),
		(&history{T: t, vars: map[string]string{"DATABASE_URL": "postgres://igw:secret@127.0.0.1:x/db"}}).igw("events", "list"),
	} {
		if out.code != exitFailed || strings.Contains(out.stderr, "secret") {
			t.Errorf("got %+v", out)
		}
	}
	h.fails(exitFailed, "--rate", "events", "replay", "--to", "again", "--rate", "NaN")
}

// What was on its way when a connection broke is gone, and a later flush does not tell.
func TestAReplayWhoseConnectionBreaksSaysSo(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	address, err := url.Parse(h.vars["NATS_URL"])
	if err != nil {
		t.Fatal(err)
	}
	server := address.Host
	address.Host = breaksOnce(t, server)
	h.vars["NATS_URL"] = address.String()
	h.fails(exitFailed, "0 events were sent, go on after seq 0", "events", "replay", "--to", "again", "--rate", "2")
}

// breaksOnce returns the address of a way to a NATS server that is cut when the
// first message comes, and then works.
func breaksOnce(t *testing.T, server string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var connections sync.WaitGroup
	t.Cleanup(func() { _ = listener.Close(); connections.Wait() })
	connections.Go(func() {
		for broken := false; ; broken = true {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Go(func() { pass(client, server, broken) })
		}
	})
	return listener.Addr().String()
}

func pass(client net.Conn, server string, messages bool) {
	defer client.Close()
	upstream, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	var answers sync.WaitGroup
	answers.Go(func() { _, _ = io.Copy(client, upstream) })
	defer answers.Wait()
	defer upstream.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil || !messages && bytes.Contains(buffer[:n], []byte("HPUB ")) {
			return
		}
		if _, err := upstream.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func TestAReplayToNATSNotesHowFarItCame(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	nc, err := nats.Connect(h.vars["NATS_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	sub, err := nc.SubscribeSync("again")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.FlushTimeout(waitLimit); err != nil {
		t.Fatal(err)
	}
	replay := []string{"events", "replay", "--to", "again", "--state", h.file("state")}
	h.succeeds(replay...)
	for seq := range int64(events) {
		msg, err := sub.NextMsg(waitLimit)
		if err != nil {
			t.Fatal(err)
		}
		e, err := event.Decode(msg.Subject, msg.Header, msg.Data)
		if err != nil || e.Seq != seq+1 || e.Replay == "" {
			t.Errorf("got %+v, %v", e, err)
		}
	}
	if again := h.succeeds(replay...); !strings.HasPrefix(again, "0 events") {
		t.Errorf("a replay that is done sends again: %s", again)
	}
	h.fails(exitFailed, "another subject", "events", "replay", "--to", "elsewhere", "--state", h.file("state"))
	h.fails(exitFailed, "other filters", append(replay, "--account", "a1")...)
	h.write("state", "{")
	h.fails(exitFailed, "not the state of a replay", replay...)
}

func TestAReplayComparesTheReadModelsWithTheLog(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	if same := h.succeeds("events", "replay"); !strings.Contains(same, "replayed up to seq 6") {
		t.Errorf("got\n%s", same)
	}
	h.damage(`UPDATE read_commands SET operation = 'x' WHERE account = 'a1'`)
	out := h.igw("events", "replay", "--state", h.file("rebuilt"))
	if out.code != exitFailed || !strings.Contains(out.stdout, "operation") || !strings.Contains(out.stderr, "differ") {
		t.Errorf("got %+v", out)
	}
}

func TestAnAuditorVerifiesTheLogAndItsBundleAndKeepsTheCheckpoint(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	if said := h.succeeds("audit", "verify"); !strings.Contains(said, "6, of 3 streams") || !strings.Contains(said, "compare it with the key") {
		t.Errorf("got\n%s", said)
	}
	h.succeeds("audit", "verify", "--key", h.verifier, "--kept", h.file("kept"))
	h.succeeds("audit", "export", h.file("whole"))
	h.succeeds("audit", "export", "--account", "a1", "--kept", h.file("kept"), h.file("part"))
	h.fails(exitFailed, "is there already", "audit", "export", h.file("part"))

	delete(h.vars, "DATABASE_URL") // off line from here on
	if said := h.succeeds("audit", "verify", "--bundle", h.file("whole"), "--kept", h.file("kept")); strings.Contains(said, "compare it with the key") {
		t.Errorf("got\n%s", said)
	}
	if said := h.succeeds("audit", "verify", "--bundle", h.file("part"), "--key", h.verifier); !strings.Contains(said, "2, of 1 streams") {
		t.Errorf("got\n%s", said)
	}
	h.write("flipped", strings.Replace(h.read("whole"), `"outcome":"succeeded"`, `"outcome":"succeedeD"`, 1))
	h.fails(exitFailed, "event 2", "audit", "verify", "--bundle", h.file("flipped"))
	_, other, err := proof.GenerateKey("gateway.example.com/events")
	if err != nil {
		t.Fatal(err)
	}
	h.fails(exitFailed, "not trusted", "audit", "verify", "--bundle", h.file("whole"), "--key", other)
	h.write("kept", "not a kept file")
	h.fails(exitFailed, "--kept", "audit", "verify", "--bundle", h.file("whole"), "--kept", h.file("kept"))
	h.fails(exitFailed, "--bundle", "audit", "verify", "--bundle", h.file("nowhere"))
}

// A bundle of a fork has all that a bundle needs, but for what leads there from
// the checkpoint that the auditor has.
func TestABundleThatDoesNotReachWhatWasKeptFails(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	note, err := h.signer.Sign(2, make([]byte, 32)) // of the log as it was once
	if err != nil {
		t.Fatal(err)
	}
	once, err := proof.OpenCheckpoint(note, h.verifier)
	if err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	if err := proof.WriteKept(&kept, proof.Trust{Verifiers: []string{h.verifier}, Kept: []proof.Checkpoint{once}}); err != nil {
		t.Fatal(err)
	}
	h.write("kept", kept.String())
	h.succeeds("audit", "export", "--account", "a1", h.file("part"))
	h.fails(exitFailed, "no proof that leads on from the checkpoint of size 2", "audit", "verify", "--bundle", h.file("part"), "--kept", h.file("kept"))
	if h.read("kept") != kept.String() {
		t.Error("the checkpoint of a bundle that may be of another log was kept")
	}
}

func TestWhatTheLogSaysCannotSteerTheTerminal(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.damage(`UPDATE events SET id = E'\u001b[2J' WHERE account = 'a1' AND version = 2`,
		`UPDATE events SET caller = E'x\u001b[2J', command = E'\u009b2J' WHERE account = 'a2'`)
	listed := h.succeeds("events", "list")
	verified := h.igw("audit", "verify")
	if verified.code != exitFailed {
		t.Errorf("got %+v", verified)
	}
	h.write("bundle", "integration.gateway/bundle/v1\nkey x\u009b2J+00000000+AQ==\nend 0\n")
	bundle := h.igw("audit", "verify", "--bundle", h.file("bundle"))
	h.fails(exitFailed, "printable", "audit", "new-key", "gateway\u009b2J")
	for _, said := range []string{listed, verified.stderr, bundle.stdout, bundle.stderr} {
		if strings.ContainsAny(said, "\x1b\u009b") {
			t.Errorf("got %q", said)
		}
	}
}

func TestVerifyingADamagedLogNamesTheEvent(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.damage(`UPDATE events SET caller = 'somebody' WHERE account = 'a1' AND version = 2`)
	h.fails(exitFailed, "event 4", "audit", "verify", "--kept", h.file("kept"))
	if _, err := os.Stat(h.file("kept")); !os.IsNotExist(err) {
		t.Error("the checkpoint of a log that is wrong was kept")
	}
}

func TestAnEventThatIsNoJSONIsNamed(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.damage(`UPDATE events SET data = '{' WHERE account = 'a1' AND version = 2`)
	h.fails(exitFailed, "event 4: ", "--json", "events", "list")
	h.fails(exitFailed, "event 4: ", "events", "export", h.file("export"))
	if rest := h.succeeds("--json", "events", "list", "--after", "4"); strings.Count(rest, "\n") != 2 {
		t.Errorf("got\n%s", rest)
	}
}

func TestANewKeySignsAndVerifies(t *testing.T) {
	t.Parallel()
	h := &history{T: t}
	var keys map[string]string
	if err := json.Unmarshal([]byte(h.succeeds("--json", "audit", "new-key", "example.com/events")), &keys); err != nil {
		t.Fatal(err)
	}
	signer, err := proof.NewSigner(keys["CHECKPOINT_KEY"])
	if err != nil || signer.Verifier() != keys["CHECKPOINT_VERIFIER"] {
		t.Errorf("got %v, %v", keys, err)
	}
	h.fails(exitFailed, "name", "audit", "new-key", "two words")
}

func TestSealedValuesOpenOnlyWithTheVaultAndOnlyUntilTheAccountIsErased(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	for _, migrate := range []func(context.Context, string) error{eventlogtest.Migrate, vault.Migrate} {
		if err := migrate(t.Context(), databaseURL); err != nil {
			t.Fatal(err)
		}
	}
	pool, err := pgxpool.New(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	h := &history{T: t, pool: pool, vars: map[string]string{
		"DATABASE_URL": schema.As(databaseURL, schema.Auditor), "VAULT_DATABASE_URL": schema.As(databaseURL, schema.Keeper),
		"VAULT_KEEPER_URL": "base64key://" + base64.URLEncoding.EncodeToString(make([]byte, 32)),
	}}
	secrets, err := vault.Open(t.Context(), pool, h.vars["VAULT_KEEPER_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer secrets.Close()
	data, err := secrets.SealFields(t.Context(), "a1", struct {
		Query string `json:"query" sensitive:"true"`
	}{"a present for Mum"})
	if err != nil {
		t.Fatal(err)
	}
	e := event.Event{Type: event.TypeCommandAccepted, Integration: "marketplace", Operation: "search", Command: "c1", Account: "a1", Data: data}
	if _, err := eventlog.New(pool).Append(t.Context(), event.CommandStream("c1"), event.Event{}, e); err != nil {
		t.Fatal(err)
	}
	e.Command, e.Account, e.Data = "c2", "a2", json.RawMessage(`{"query":{"sealed":"AAAA"}}`) // this vault knows no a2
	if _, err := eventlog.New(pool).Append(t.Context(), event.CommandStream("c2"), event.Event{}, e); err != nil {
		t.Fatal(err)
	}
	h.await(func() bool { // transactions of other tests hold the order back
		var head int64
		err := pool.QueryRow(t.Context(), `SELECT head FROM sequence_events(10)`).Scan(&head)
		return err == nil && head == 2
	})

	if sealed := h.succeeds("events", "list"); strings.Contains(sealed, "Mum") || !strings.Contains(sealed, `"sealed"`) {
		t.Errorf("without --open: %s", sealed)
	}
	if opened := h.succeeds("--json", "events", "list", "--open"); !strings.Contains(opened, "a present for Mum") {
		t.Errorf("with --open: %s", opened)
	}
	if other := h.igw("events", "list", "--open", "--account", "a2"); other.code != exitOK || !strings.Contains(other.stdout, `"sealed"`) || !strings.Contains(other.stderr, "event 2") {
		t.Errorf("an event that does not open: %+v", other)
	}
	if err := secrets.Erase(t.Context(), "a1"); err != nil {
		t.Fatal(err)
	}
	if erased := h.succeeds("--json", "events", "list", "--open"); strings.Contains(erased, "Mum") || !strings.Contains(erased, `{"erased":true}`) {
		t.Errorf("after the erasure: %s", erased)
	}
}
