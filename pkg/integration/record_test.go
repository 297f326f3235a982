package integration

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/account"
)

// story returns the events of the account's stream.
func (o *office) story() []event.Event {
	o.Helper()
	events, err := o.log.Stream(o.Context(), event.AccountStream(o.account))
	o.must(err)
	return events
}

func (o *office) expectStory(want ...string) []event.Event {
	o.Helper()
	events := o.story()
	var got []string
	for _, e := range events {
		got = append(got, e.Type)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		o.Errorf("events of the account (-want +got):\n%s", diff)
	}
	return events
}

func TestEachSignInIsRecordedAndNotEachCommand(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := o.instance()
	in.mustList()
	in.mustList()
	o.expectStory(event.TypeAccountSignedIn)
	o.application.session.Add(1) // signs everybody out
	in.mustList()
	events := o.expectStory(event.TypeAccountSignedIn, event.TypeAccountSignedIn)
	signedIn, err := event.PayloadOf[event.AccountSignedIn](events[1])
	if err != nil || signedIn.Site != "shop" || events[1].Integration != "marketplace" || events[1].Caller != "caller" || events[1].Command == "" {
		t.Errorf("%+v of %+v, %v", signedIn, events[1], err)
	}
}

func TestRefusedCredentialsAreRecordedUntilASignInWorks(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.link("wrong horse")
	in := o.instance()
	in.list()
	in.list()
	events := o.expectStory(event.TypeAccountNeedsSignIn)
	if data := string(events[0].Data); strings.Contains(data, "This password is wrong") {
		t.Errorf("the event quotes the application: %s", data)
	}
	opened, err := o.vault.OpenFields(t.Context(), o.account, events[0].Data)
	if err != nil || !strings.Contains(string(opened), `"quote":"This password is wrong"`) {
		t.Errorf("the event opens as %s, %v", opened, err)
	}
	o.link(password)
	in.mustList()
	o.expectStory(event.TypeAccountNeedsSignIn, event.TypeAccountSignedIn)
}

func TestRefusedOrderIsNoRefusedSignIn(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.application.refuses.Store(true)
	if out := o.instance().order(item); out.err == nil || out.err.Kind != contracts.Rejected {
		t.Errorf("%+v", out.err)
	}
	o.expectStory(event.TypeAccountSignedIn)
}

// silent is an event log that takes no account's events.
type silent struct{ account.Log }

func (silent) Append(context.Context, string, event.Event, ...event.Event) ([]event.Event, error) {
	return nil, errors.New("the log is down")
}

func TestCommandGoesOnWhenTheSignInCannotBeRecorded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := o.instance()
	var processLog bytes.Buffer
	in.player.log, in.player.logger = silent{o.log}, slog.New(slog.NewTextHandler(&processLog, nil))
	in.mustList()
	if text := processLog.String(); !strings.Contains(text, "account.signed-in") || !strings.Contains(text, "the log is down") {
		t.Errorf("the process log does not tell: %s", text)
	}
	o.expectStory()
}

// The account is erased between the command's acceptance and its browser.
func TestErasedAccountIsNotActedFor(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := o.instance()
	o.must(o.vault.Erase(t.Context(), o.account))
	out := run(t.Context(), in, marketplace.BuyAgain, &marketplace.BuyAgainRequest{})
	if out.err == nil || out.err.Kind != contracts.Unauthorized || !strings.Contains(out.err.Message, "erased") {
		t.Errorf("%+v", out.err)
	}
	if out.events != "command.accepted command.rejected" {
		t.Errorf("events %s", out.events)
	}
	o.expectSignIns(0)
}
