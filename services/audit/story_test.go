package audit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
)

func types(events []api.Event) []string {
	all := make([]string, len(events))
	for i, e := range events {
		all[i] = e.Type
	}
	return all
}

// text returns all that a story's events tell.
func text(story *api.CommandStory) string {
	var b strings.Builder
	for _, e := range story.Events {
		b.Write(e.Data)
	}
	return b.String()
}

func TestStoryOfACommandHasWhatItCausedElsewhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	b.order(t, ann)
	id := b.order(t, ann)
	b.order(t, bob)
	var story *api.CommandStory
	eventually(t, func() bool { // the account's event is found once it has its place
		story = call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id})
		return len(story.Events) == 5
	})
	want := []string{
		event.TypeCommandAccepted, event.TypeAccountSignedIn, event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted,
	}
	if diff := cmp.Diff(want, types(story.Events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	last := story.Events[4]
	if last.Version != 4 || last.Stream != event.CommandStream(id) || len(last.Hash) != 64 || last.PrevHash != story.Events[3].Hash {
		t.Errorf("got %+v", last)
	}
}

// A caller finds its command at once, also when nothing follows the log.
func TestStoryIsTheLogsAndNeverBehind(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	for range 20 {
		id := uuid.Must(uuid.NewV7()).String()
		b.append(t, event.CommandStream(id), 0, of(t, id, "", event.CommandAccepted{}))
		story := call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id})
		if story.Command == nil || story.Command.State != "accepted" || len(story.Events) != 1 {
			t.Fatalf("got %+v", story)
		}
	}
	_, err := try(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: uuid.NewString()})
	wantKind(t, err, contracts.NotFound)
}

func TestOperatorsRequestShowsWhatItCaused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := uuid.NewString()
	b.append(t, event.AccountStream(ann), 0, of(t, id, ann, event.AccountLinked{}))
	eventually(t, func() bool {
		story, err := try(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id})
		return err == nil && story.Command == nil && len(story.Events) == 1
	})
}

func TestPersonalDataIsSealedUntilItIsOpenedAndGoneOnceItIsErased(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := b.order(t, ann)
	sealed := text(call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id}))
	if strings.Contains(sealed, "PRIVATE") || strings.Count(sealed, `"sealed"`) != 3 {
		t.Errorf("without open: %s", sealed)
	}
	if strings.Contains(b.processLog.String(), "opened=") {
		t.Error("an opening was noted that was none")
	}
	opened := text(call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id, Open: true}))
	if strings.Count(opened, `"address":"PRIVATE"`) != 3 || strings.Contains(opened, "sealed") {
		t.Errorf("with open: %s", opened)
	}
	if said := b.processLog.String(); !strings.Contains(said, "opened="+id) || !strings.Contains(said, "by=admin request=request-1") || strings.Contains(said, "PRIVATE") {
		t.Errorf("the process log says:\n%s", said)
	}
	if err := b.vault.Erase(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	erased := text(call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id, Open: true}))
	if strings.Count(erased, `"address":{"erased":true}`) != 3 || strings.Count(erased, `"asin":"B000000001"`) != 3 {
		t.Errorf("of an erased account: %s", erased)
	}
}

func TestDataThatDoesNotOpenIsSaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := uuid.NewString()
	moved := of(t, id, bob, event.CommandAccepted{Request: b.seal(t, ann)}) // sealed for another account
	b.append(t, event.CommandStream(id), 0, moved)
	b.seal(t, bob)
	_, err := try(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id, Open: true})
	wantKind(t, err, contracts.Fault)
	if err == nil || !strings.Contains(err.Error(), moved.ID) {
		t.Errorf("got %v", err)
	}
}

func TestDamagedEventIsShownAsFarAsItGoes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := b.order(t, ann)
	eventually(t, func() bool { return call(t, b, api.GetLog, &api.GetLogRequest{}).Head == 5 })
	for _, statement := range []string{
		`ALTER TABLE events DISABLE TRIGGER events_grow`,
		`UPDATE events SET data = substr(data, 1, 10) WHERE stream_id LIKE 'command/%' AND version = 2`,
	} {
		if _, err := b.pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	want := []bool{false, false, true, false, false}
	for name, events := range map[string][]api.Event{
		"listed": call(t, b, api.ListEvents, &api.ListEventsRequest{}).Events,
		"told":   call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id, Open: true}).Events,
	} {
		var got []bool
		for _, e := range events {
			got = append(got, e.DataLeftOut)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: events without data (-want +got):\n%s", name, diff)
		}
	}
	if story := call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id}); !strings.Contains(story.Command.Problem, story.Events[2].ID) {
		t.Errorf("got problem %q", story.Command.Problem)
	}
}

// long returns data of about n bytes in JSON.
func long(n int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf("%q", strings.Repeat("x", n)))
}

func TestLongEventsFindRoom(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := uuid.NewString()
	accepted := of(t, id, ann, event.CommandAccepted{Request: long(event.MaxDataBytes - 100)})
	// In the answer's JSON each of these signs has six letters.
	marked := of(t, id, ann, event.CommandAccepted{})
	marked.Data = json.RawMessage(`{"site":"` + strings.Repeat("<", 600_000) + `"}`)
	small := of(t, id, ann, event.CommandCompleted{Outcome: event.Succeeded})
	b.append(t, event.CommandStream(id), 0, accepted, marked, small)
	other := uuid.NewString()
	b.append(t, event.CommandStream(other), 0, of(t, other, ann, event.CommandAccepted{Request: long(event.MaxDataBytes - 100)}))

	story := call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id})
	if len(story.Events) != 3 || story.Events[0].DataLeftOut || !story.Events[1].DataLeftOut || story.Events[1].Data != nil || story.Events[2].DataLeftOut {
		t.Errorf("got %d events", len(story.Events))
	}
	var after int64
	var shown []bool
	eventually(t, func() bool { return call(t, b, api.GetLog, &api.GetLogRequest{}).Head == 4 })
	for range 4 {
		page := call(t, b, api.ListEvents, &api.ListEventsRequest{After: after})
		for _, e := range page.Events {
			shown = append(shown, e.Data != nil)
		}
		if after = page.Next; after == 0 {
			break
		}
	}
	if diff := cmp.Diff([]bool{true, false, true, true}, shown); diff != "" || after != 0 {
		t.Errorf("events with data (-want +got):\n%s", diff)
	}
}
