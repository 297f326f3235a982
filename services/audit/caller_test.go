package audit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
)

// The callers of the tests. All commands are the first one's.
var (
	giver  = bus.Identity{CallerID: "caller-1"}
	holder = bus.Identity{CallerID: "caller-1", AccountID: ann} // the same, who sends ann's account token along
	other  = bus.Identity{CallerID: "caller-2"}
)

func TestCallerIsToldOfItsOwnCommand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := b.order(t, ann)
	var all *api.CommandStory
	eventually(t, func() bool {
		all = call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id})
		return len(all.Events) == 5 && all.Events[4].Seq > 0
	})
	for _, asking := range []bus.Identity{giver, holder} {
		story, err := tryAs(t, b, asking, api.GetCommand, &api.GetCommandRequest{CommandID: id})
		if diff := cmp.Diff(all, story); diff != "" || err != nil {
			t.Errorf("asked with %+v: %v (-operator's +caller's):\n%s", asking, err, diff)
		}
	}
}

// Nobody learns that another caller's command is there.
func TestCommandOfAnotherCallerIsNotThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id, nobodys := b.order(t, ann), uuid.NewString()
	accepted := of(t, nobodys, ann, event.CommandAccepted{})
	accepted.Caller = ""
	b.append(t, event.CommandStream(nobodys), 0, accepted)
	for _, asking := range []bus.Identity{
		other,
		{CallerID: "caller-2", AccountID: ann},
		{CallerID: "caller-2", AccountID: bob},
		{AccountID: ann}, // no caller at all
	} {
		for _, open := range []bool{false, true} {
			_, nothing := tryAs(t, b, asking, api.GetCommand, &api.GetCommandRequest{CommandID: uuid.NewString(), Open: open})
			wantKind(t, nothing, contracts.NotFound)
			for _, id := range []string{id, nobodys} {
				_, err := tryAs(t, b, asking, api.GetCommand, &api.GetCommandRequest{CommandID: id, Open: open})
				if diff := cmp.Diff(nothing, err); diff != "" {
					t.Errorf("asked with %+v: another answer than for a command that is not there (-none +another's):\n%s", asking, diff)
				}
			}
		}
	}
	if strings.Contains(b.processLog.String(), "opened=") {
		t.Error("an opening was noted that was none")
	}
}

func TestCallerSeesNothingOfOthersRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	operators := uuid.NewString()
	b.append(t, event.AccountStream(ann), 0, of(t, operators, ann, event.AccountLinked{}))
	id := b.order(t, ann)
	foreign := of(t, id, bob, event.AccountSignedIn{Site: "sandbox"})
	foreign.Caller = "caller-2"
	nobodys := of(t, id, "", event.AccountSignedIn{Site: "sandbox"})
	nobodys.Caller = ""
	b.append(t, event.AccountStream(bob), 0, foreign, nobodys)
	eventually(t, func() bool {
		linked, err := try(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: operators})
		return err == nil && len(linked.Events) == 1 && len(call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id}).Events) == 7
	})
	_, err := tryAs(t, b, holder, api.GetCommand, &api.GetCommandRequest{CommandID: operators})
	wantKind(t, err, contracts.NotFound)
	story, err := tryAs(t, b, holder, api.GetCommand, &api.GetCommandRequest{CommandID: id})
	if err != nil || len(story.Events) != 5 {
		t.Errorf("got %d events, %v", len(story.Events), err)
	}
}

func TestCallerOpensPersonalDataWithTheAccountsToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	done, doubted := b.order(t, ann), b.doubt(t, "marketplace", ann)
	for _, id := range []string{done, doubted} {
		for _, account := range []string{"", bob} {
			_, err := tryAs(t, b, bus.Identity{CallerID: "caller-1", AccountID: account}, api.GetCommand, &api.GetCommandRequest{CommandID: id, Open: true})
			wantKind(t, err, contracts.Invalid)
			if err == nil || !strings.Contains(err.Error(), contracts.AccountTokenHeader) {
				t.Errorf("with the token of %q: got %v", account, err)
			}
		}
		if strings.Contains(b.processLog.String(), "opened="+id) {
			t.Error("an opening was noted that was none")
		}
		story, err := tryAs(t, b, holder, api.GetCommand, &api.GetCommandRequest{CommandID: id, Open: true})
		if err != nil {
			t.Fatal(err)
		}
		if told := text(story); !strings.Contains(told, `"address":"PRIVATE"`) || strings.Contains(told, "sealed") {
			t.Errorf("opened: %s", told)
		}
		if said := b.processLog.String(); !strings.Contains(said, "opened="+id+" by=caller-1 request=request-1") || strings.Contains(said, "PRIVATE") {
			t.Errorf("the process log says:\n%s", said)
		}
	}
}

func TestCommandWithoutAnAccountHasNothingToOpen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := uuid.NewString()
	b.append(t, event.CommandStream(id), 0, of(t, id, "", event.CommandAccepted{Request: []byte(`{}`)}))
	if _, err := tryAs(t, b, giver, api.GetCommand, &api.GetCommandRequest{CommandID: id, Open: true}); err != nil {
		t.Error(err)
	}
}
