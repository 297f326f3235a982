package readmodel

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/fstest"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/testenv"
)

// before has the tables of before a migration.
func before(ctx context.Context, t *testing.T, databaseURL, migration string) {
	t.Helper()
	entries, err := migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, entry := range entries {
		if entry.Name() >= migration {
			break
		}
		content, err := migrations.ReadFile("migrations/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		files["migrations/"+entry.Name()] = &fstest.MapFile{Data: content}
	}
	if err := schema.Apply(ctx, databaseURL, "readmodel_version", files); err != nil {
		t.Fatal(err)
	}
}

// The rows of before do not say what their sessions' events say of site and
// clients; and a projector of before may be at work when the migration comes.
func TestRowsOfSessionsAreMadeAnewOnceTheySayMore(t *testing.T) {
	t.Parallel()
	databaseURL := testenv.DatabaseURL(t)
	ctx := limited(t)
	if err := eventlogtest.Migrate(ctx, databaseURL); err != nil {
		t.Fatal(err)
	}
	before(ctx, t, databaseURL, "003")
	b := &bundle{owner: newPool(t, databaseURL), pool: newPool(t, schema.As(databaseURL, schema.Keeper))}
	b.log = eventlog.New(b.owner)
	b.here = NewProjector(b.pool, eventlog.New(b.pool), slog.New(slog.DiscardHandler))
	b.append(ctx, t, event.CommandStream("c1"), 0, of(t, event.CommandAccepted{}), of(t, event.CommandCompleted{Outcome: event.Succeeded}))
	b.append(ctx, t, event.AccountStream("a1"), 0, of(t, event.AccountLinked{}))
	b.append(ctx, t, event.SessionStream("s1"), 0, of(t, event.SessionOpened{Site: "sandbox", Expires: start}),
		of(t, event.SessionAttached{}), of(t, event.SessionDetached{}), of(t, event.SessionAttached{}))
	head := b.sequence(ctx, t)
	b.exec(t, `INSERT INTO read_sessions (id, integration, command, caller, account, state, opened_at, attached, reason, events, first_seq, last_seq, problem)
		VALUES ('s1', '', '', '', '', 'open', now(), 2, '', 4, 4, $1, ''), ('never', '', '', '', '', 'open', now(), 2, '', 4, 4, $1, '')`, head)

	atWork, err := b.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cursor(ctx, atWork); err != nil {
		t.Fatal(err)
	}
	migrated := make(chan error, 1)
	go func() { migrated <- Migrate(ctx, databaseURL) }()
	for waiting := false; !waiting; {
		if err := b.owner.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'read_cursor'::regclass AND NOT granted)`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-migrated:
			t.Fatalf("it did not wait for the projector: %v", err)
		default:
		}
	}
	if _, err := atWork.Exec(ctx, `UPDATE read_cursor SET seq = $1`, head); err != nil {
		t.Fatal(err)
	}
	if err := atWork.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Fatal(err)
	}
	if seq, err := Projected(ctx, b.pool); err != nil || seq != 0 {
		t.Errorf("the rows stand for event %d, %v", seq, err)
	}
	b.project(ctx, t)
	if c := b.compare(t); c.Differing != 0 || c.Seq != head {
		t.Errorf("got %+v", c)
	}
	found, err := Sessions(ctx, b.pool, SessionFilter{}, 10)
	if err != nil || len(found) != 1 || found[0].Site != "sandbox" || found[0].Clients() != 1 {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestSessionsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	for i, id := range mixed {
		opened, closed := of(t, event.SessionOpened{Site: "sandbox", Expires: start}), of(t, event.SessionClosed{Reason: event.SessionIdle})
		for _, e := range []*event.Event{&opened, &closed} {
			e.Integration = []string{"marketplace", "agency"}[i%2]
			e.Caller = []string{"p", "q"}[i/3]
			e.Account = []string{"a", "b"}[i/4]
		}
		events := []event.Event{opened, closed}[:1+i%3%2]
		b.append(ctx, t, event.SessionStream(id), 0, events...)
	}
	b.sequence(ctx, t)
	b.project(ctx, t)
	for name, c := range map[string]struct {
		filter SessionFilter
		limit  int
		want   []string
	}{
		"all":            {SessionFilter{}, 10, []string{"c5", "c4", "c3", "c2", "c1", "c0"}},
		"the first part": {SessionFilter{}, 2, []string{"c5", "c4"}},
		"the next part":  {SessionFilter{Before: "e-c4"}, 2, []string{"c3", "c2"}},
		"past the end":   {SessionFilter{Before: "d-c0"}, 2, nil},
		"integration":    {SessionFilter{Integration: "agency"}, 10, []string{"c5", "c3", "c1"}},
		"caller":         {SessionFilter{Caller: "p"}, 10, []string{"c2", "c1", "c0"}},
		"account":        {SessionFilter{Account: "b"}, 10, []string{"c5", "c4"}},
		"open":           {SessionFilter{State: Open}, 10, []string{"c5", "c3", "c2", "c0"}},
		"closed":         {SessionFilter{State: Closed}, 10, []string{"c4", "c1"}},
		"all at once":    {SessionFilter{Integration: "agency", Caller: "p", Account: "a", State: Closed, Before: "f-c2"}, 10, []string{"c1"}},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := Sessions(ctx, b.pool, c.filter, c.limit)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, f := range found {
				ids = append(ids, f.ID[2:])
			}
			if !slices.Equal(c.want, ids) {
				t.Errorf("got %v, want %v", ids, c.want)
			}
		})
	}
}
