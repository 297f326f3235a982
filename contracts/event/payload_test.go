package event_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

func TestPayloadsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	want := event.CommandCompleted{
		Outcome: event.Failed, Kind: contracts.Rejected, Message: "No default address.", DurationMS: 12,
	}
	e, err := event.New(want)
	if err != nil {
		t.Fatal(err)
	}
	if e.Type != event.TypeCommandCompleted || e.ID == "" {
		t.Errorf("event is %+v", e)
	}
	got, err := event.PayloadOf[event.CommandCompleted](e)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := event.PayloadOf[event.CommandRejected](e); err == nil {
		t.Error("the payload was read as that of another type")
	}
}

func TestTheLastTokenOfTheSubjectTellsTheType(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, p := range event.Payloads() {
		e, err := event.New(p)
		if err != nil {
			t.Fatal(err)
		}
		e.Integration = "marketplace"
		if err := e.Validate(); err != nil {
			t.Errorf("%T: %v", p, err)
		}
		subject := e.Subject()
		token := subject[strings.LastIndexByte(subject, '.'):]
		if other, twice := seen[token]; twice {
			t.Errorf("%T and %s are both found at %s", p, other, token)
		}
		seen[token] = reflect.TypeOf(p).Name()
	}
	if len(seen) != 19 {
		t.Errorf("%d types of events are listed", len(seen))
	}
}
