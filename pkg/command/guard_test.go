package command_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/schema"
)

// What a process that is out of its mind appends, with the right version: the
// database refuses what must not happen twice, or without the user's lease.
func TestDatabaseRefusesWhatCannotFollow(t *testing.T) {
	t.Parallel()
	accepted := event.CommandAccepted{Request: []byte(`{}`), Effect: contracts.Order, Instance: "i"}
	started, unknown := event.EffectStarted{Effect: contracts.Order}, event.EffectUnknown{Message: "broke off"}
	completed := event.CommandCompleted{Outcome: event.Succeeded}
	failed := event.CommandCompleted{Outcome: event.Failed, Kind: contracts.Unavailable, Repeatable: true}
	for name, c := range map[string]struct {
		before  []event.Payload
		leased  bool // after the first event
		refused event.Payload
	}{
		"a second acceptance":               {[]event.Payload{accepted}, true, accepted},
		"an acceptance after the end":       {[]event.Payload{accepted, completed}, true, accepted},
		"an effect without the lease":       {[]event.Payload{accepted}, false, started},
		"a second effect":                   {[]event.Payload{accepted, started}, true, started},
		"an effect after doubt":             {[]event.Payload{accepted, started, unknown}, true, started},
		"an effect after the end":           {[]event.Payload{accepted, completed}, true, started},
		"doubt without an effect":           {[]event.Payload{accepted}, true, unknown},
		"a second end":                      {[]event.Payload{accepted, completed}, true, completed},
		"a rejection after the end":         {[]event.Payload{accepted, completed}, true, event.CommandRejected{Kind: contracts.Busy}},
		"an end of what was never accepted": {nil, false, completed},
		"another attempt after a success":   {[]event.Payload{accepted, started, event.EffectConfirmed{}, failed}, true, accepted},
		"another attempt after doubt":       {[]event.Payload{accepted, started, unknown, failed}, true, accepted},
		"another attempt after doubt of what was said not to be": {
			[]event.Payload{accepted, started, event.EffectNotApplied{}, unknown, failed}, true, accepted,
		},
		"another attempt after a verdict":                           {[]event.Payload{accepted, started, unknown, event.EffectReconciled{}, failed}, true, accepted},
		"another attempt after an effect of which nothing is known": {[]event.Payload{accepted, started, failed}, true, accepted},
		"another attempt after a final failure": {
			[]event.Payload{accepted, event.CommandCompleted{Outcome: event.Failed, Kind: contracts.Unavailable}}, true, accepted,
		},
		"an effect in another attempt without the lease": {[]event.Payload{accepted, failed, accepted}, true, started},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, id := newParts(t), newRequest().id
			add := func(version int, payload event.Payload) error {
				e, err := event.New(payload)
				if err != nil {
					t.Fatal(err)
				}
				e.Integration, e.Operation, e.Command, e.Account = "shop", "place", id, "account-1"
				_, err = p.log.Append(t.Context(), event.CommandStream(id), int64(version), e)
				return err
			}
			for n, payload := range c.before {
				if err := add(n, payload); err != nil {
					t.Fatal(err)
				}
				if n == 0 && c.leased {
					p.count(t, `SELECT granted::integer FROM lease_user($1, 1)`, id)
				}
			}
			if err := add(len(c.before), c.refused); !errors.Is(err, eventlog.ErrConflict) {
				t.Errorf("got %v", err)
			}
			if got := p.events(t, id); len(got) != len(c.before) {
				t.Errorf("the log holds %v", types(got))
			}
		})
	}
}

// TestNoTransactionIsOpenWhileTheOperationRuns looks at all connections of the
// process, before and after its effect is started.
func TestNoTransactionIsOpenWhileTheOperationRuns(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	url := p.url + "&application_name=" + newRequest().id
	pool := newPool(t, schema.As(url, schema.Service))
	r := p.recorder(t)
	r.Log, r.Register = eventlog.New(pool), command.NewRegister(pool)
	look := func(when string) {
		if n := pool.Stat().AcquiredConns(); n != 0 {
			t.Errorf("%s: %d connections are in use", when, n)
		}
		n := p.count(t, `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND xact_start IS NOT NULL`, url[len(url)-36:])
		if n != 0 {
			t.Errorf("%s: %d transactions are open", when, n)
		}
	}
	_, err := newRequest().send(t.Context(), r, func(ctx context.Context, c *command.Command) (*order, error) {
		look("before the effect")
		err := start(ctx, c)
		look("after its start")
		return &order{}, err
	})
	if err != nil {
		t.Error(err)
	}
	if n := p.count(t, `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1`, url[len(url)-36:]); n == 0 {
		t.Error("the connections were not found")
	}
}

func TestEffectOfAnotherKindIsNotStarted(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	_, err := q.send(t.Context(), p.recorder(t), func(ctx context.Context, c *command.Command) (*order, error) {
		return nil, c.Start(ctx, contracts.Message, nil)
	})
	if got := contracts.AsError(err).Kind; got != contracts.Fault {
		t.Errorf("got %v", err)
	}
	wantEvents(t, p, q.id, event.TypeCommandAccepted, event.TypeCommandCompleted)
}

// What callers and applications send must not keep a command from being
// recorded, or from ending.
func TestNothingThatIsSentKeepsACommandOpen(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\u0001", event.MaxDataBytes)
	failing := func(e contracts.Error) act {
		return func(ctx context.Context, c *command.Command) (*order, error) {
			c.Read([]byte(`"` + strings.Repeat("x", event.MaxDataBytes) + `"`))
			return nil, errors.Join(start(ctx, c), &e)
		}
	}
	for name, c := range map[string]struct {
		item string
		act  act
		want contracts.Kind
		last string
	}{
		"a NUL in the request":       {"a\x00b", confirm, "", event.TypeCommandCompleted},
		"a request that is too long": {long, confirm, contracts.Invalid, ""},
		"a message that is too long": {"tea", failing(contracts.Error{Kind: contracts.Unknown, Message: long}), contracts.Unknown, event.TypeEffectUnknown},
		"a quote that is too long": {
			"tea", failing(contracts.Error{Kind: contracts.Unknown, Message: long, Quotes: true}), contracts.Unknown, event.TypeEffectUnknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := newParts(t), newRequest()
			q.body.Item = c.item
			_, err := q.send(t.Context(), p.recorder(t), c.act)
			if err == nil && c.want != "" || err != nil && contracts.AsError(err).Kind != c.want {
				t.Errorf("got %.100v", err)
			}
			events := types(p.events(t, q.id))
			if last := append([]string{""}, events...)[len(events)]; last != c.last {
				t.Errorf("the log holds %v", events)
			}
			if n := p.count(t, `SELECT count(*) FROM open_commands WHERE NOT in_doubt`); n != 0 {
				t.Errorf("%d commands are open", n)
			}
		})
	}
}

func TestOnlyServicesWriteTheRegisterAndOnlyThroughTheLog(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	for statement, may := range map[string][]string{
		`INSERT INTO open_commands (id, integration, account, site_user, instance, effect) VALUES ('c', 'shop', 'a', 'u', 'i', '')`: nil,
		`DELETE FROM open_commands`:                                       nil,
		`UPDATE open_commands SET leased = true`:                          nil,
		`UPDATE open_commands SET started = false, in_doubt = false`:      nil,
		`UPDATE open_commands SET looks = 0, look_at = clock_timestamp()`: {schema.Service},
		`SELECT lease_user('c', 1)`:                                       {schema.Service},
		`INSERT INTO instances VALUES ('i', now())`:                       {schema.Service},
		`UPDATE instances SET expires = now()`:                            {schema.Service},
		`DELETE FROM instances`:                                           {schema.Service},
		`UPDATE open_commands SET attended = false`:                       nil,
		`DELETE FROM created_effects`:                                     nil,
		`SELECT fill_from_log()`:                                          nil,
		`SELECT FROM user_sessions, state_generations, created_effects`:   {schema.Service, schema.Keeper, schema.Auditor},
		`SELECT FROM open_commands, instances`:                            {schema.Service, schema.Keeper, schema.Auditor},
	} {
		for _, role := range []string{schema.Service, schema.Accounts, schema.Keeper, schema.Auditor} {
			_, err := newPool(t, schema.As(p.url, role)).Exec(t.Context(), statement)
			if allowed := slices.Contains(may, role); allowed != (err == nil) || err != nil && !strings.Contains(err.Error(), "42501") {
				t.Errorf("%s as %s: %v", statement, role, err)
			}
		}
	}
}
