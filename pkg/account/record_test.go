package account_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/account"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func newLog(t *testing.T) *eventlog.Log {
	t.Helper()
	url := testenv.DatabaseURL(t)
	if err := eventlogtest.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return eventlog.New(pool)
}

func of(t *testing.T, p event.Payload) event.Event {
	t.Helper()
	e, err := event.New(p)
	if err != nil {
		t.Fatal(err)
	}
	e.Integration, e.Account = "marketplace", "account-1"
	return e
}

func story(t *testing.T, log *eventlog.Log) []string {
	t.Helper()
	events, err := log.Stream(t.Context(), event.AccountStream("account-1"))
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, e := range events {
		types = append(types, e.Type)
	}
	return types
}

func TestEventsOfManyProcessesAreAllRecorded(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	var writers sync.WaitGroup
	for range 4 {
		e := of(t, event.AccountSignedIn{Site: "sandbox"})
		writers.Go(func() {
			if err := account.Record(t.Context(), log, e, nil); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if got := story(t, log); len(got) != 4 {
		t.Errorf("events %v", got)
	}
}

// overtaken is a log in which another process appends just before each append,
// as long as it has events to append.
type overtaken struct {
	account.Log
	others []event.Event
}

func (l *overtaken) Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error) {
	if len(l.others) > 0 {
		other := l.others[0]
		l.others = l.others[1:]
		if _, err := l.Log.Append(ctx, stream, last, other); err != nil {
			return nil, err
		}
	}
	return l.Log.Append(ctx, stream, last, events...)
}

func TestConditionIsAskedAgainWhenAnotherProcessWasFaster(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	erased := of(t, event.AccountErased{})
	faster := &overtaken{log, []event.Event{of(t, event.AccountUnlinked{}), of(t, event.AccountErased{})}}
	err := account.Record(t.Context(), faster, erased, func(last event.Event) (bool, error) {
		return last.Type == event.TypeAccountErased, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{event.TypeAccountUnlinked, event.TypeAccountErased}, story(t, log)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestConflictsDoNotGoOnForEver(t *testing.T) {
	t.Parallel()
	faster := &overtaken{Log: newLog(t)}
	for range 50 {
		faster.others = append(faster.others, of(t, event.AccountSignedIn{Site: "sandbox"}))
	}
	err := account.Record(t.Context(), faster, of(t, event.AccountErased{}), nil)
	if !errors.Is(err, eventlog.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
}
