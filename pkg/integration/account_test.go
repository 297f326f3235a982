package integration

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/account"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/testenv"
)

const item = "B0CX23V2ZK"

func TestAnotherInstanceGoesOnSignedIn(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.instance().mustList()
	second := o.instance()
	second.mustList()
	second.mustList()
	o.expectSignIns(1)
}

func TestStateThatCannotBeReadCostsASignInAndNoMore(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*office) error{
		"no JSON": func(o *office) error { return o.vault.Put(o.Context(), o.account, stateName, []byte("{")) },
		"of a newer program": func(o *office) error {
			return o.vault.Put(o.Context(), o.account, stateName, []byte(`{"browser": {"version": 99}}`))
		},
		"damaged": func(o *office) error {
			_, err := o.pool.Exec(o.Context(), "update secrets set sealed = '\\x00' where name = $1", stateName)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			o.instance().mustList()
			o.must(spoil(o))
			o.instance().mustList()
			o.expectSignIns(2)
			o.instance().mustList() // the state was stored anew
			o.expectSignIns(2)
		})
	}
}

// A database that fails for a moment is a fault that passes: the caller is told
// so, and keeps its key.
func TestStateThatCannotBeFetchedIsNoInternalError(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{"state": "secrets", "generation": "state_generations"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			_, err := o.pool.Exec(t.Context(), "ALTER TABLE "+table+" RENAME TO away")
			o.must(err)
			out := o.instance().list()
			if out.err == nil || out.err.Kind != contracts.Unavailable || out.err.RetryAfter == 0 {
				t.Errorf("%+v", out.err)
			}
		})
	}
}

func TestCredentialsAreReadOnlyToSignIn(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := o.instance()
	in.mustList()
	o.must(o.vault.Put(t.Context(), o.account, accounts.CredentialsName, []byte("not JSON")))
	in.mustList()
	o.application.session.Add(1) // signs everybody out
	out := in.list()
	if out.err == nil || !strings.Contains(out.err.Message, "credentials could not be fetched") {
		t.Errorf("%+v", out.err)
	}
	if out.events != "command.accepted command.completed" {
		t.Errorf("events %s", out.events)
	}
}

func TestRefusedCredentialsAreTheApplicationsWord(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.link("wrong horse")
	out := o.instance().list()
	if out.err == nil || out.err.Kind != contracts.Rejected || out.err.Message != "This password is wrong" {
		t.Errorf("%+v", out.err)
	}
	if out.events != "command.accepted command.rejected" || strings.Contains(out.stored, "password") {
		t.Errorf("events %s: %s", out.events, out.stored)
	}
}

// TestSignInOfAFailedFlowIsKept: the flow fails after the sign-in.
func TestSignInOfAFailedFlowIsKept(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	out := o.instance().order("ZZZZZZZZZZ")
	if out.err == nil || out.err.Kind != contracts.NotFound {
		t.Fatalf("%+v", out.err)
	}
	o.instance().mustList()
	o.expectSignIns(1)
}

// TestSimultaneousCommandsSignInOnce: a second sign-in would find no form.
func TestSimultaneousCommandsSignInOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := o.instance()
	var commands sync.WaitGroup
	for range 2 {
		commands.Go(func() {
			if out := in.list(); out.err != nil {
				t.Errorf("%+v", out.err)
			}
		})
	}
	commands.Wait()
	o.expectSignIns(1)
}

func TestAnAccountWhoseStateIsStaleIsForgotten(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]event.Payload{
		"unlinked": event.AccountUnlinked{}, "erased": event.AccountErased{}, "used by a session": event.SessionClosed{Reason: event.SessionReleased},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forgets(t, end)
		})
	}
}

// forgets fails the test unless an event of an account has the browsers
// drop what they keep warm of it.
func forgets(t *testing.T, end event.Payload) {
	t.Helper()
	o := newOffice(t)
	in := o.instance()
	nc, err := bus.Connect(testenv.NATSURL(t), t.Name(), slog.New(slog.DiscardHandler))
	o.must(err)
	defer nc.Close()
	_, err = forgetStale(nc, "marketplace", in.player.browsers, in.vault)
	o.must(err)
	o.must(nc.Flush())
	in.mustList()
	in.mustList()
	o.expectSignIns(1)

	// Without its kept state, only a fresh browser context signs in again.
	_, err = o.pool.Exec(t.Context(), "delete from secrets where name = $1", stateName)
	o.must(err)
	ended, err := event.New(end)
	o.must(err)
	ended.Integration, ended.Account = "marketplace", o.account
	o.must(account.Record(t.Context(), o.log, ended, nil))
	recorded := o.story()
	last := recorded[len(recorded)-1]
	last.Seq = 1
	subject, header, data, err := event.Encode(last)
	o.must(err)
	o.must(nc.PublishMsg(&nats.Msg{Subject: subject, Header: header, Data: data}))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for o.application.signIns.Load() < 2 && ctx.Err() == nil {
		in.mustList()
	}
	o.expectSignIns(2)
}
