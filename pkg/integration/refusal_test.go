package integration

import (
	"context"
	"errors"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/contracts/professionalnetwork"
)

func TestRefusalIsAResultWhereThereIsAStatus(t *testing.T) {
	t.Parallel()
	rejected := contracts.Errorf(contracts.Rejected, "unknown recipient")
	broken := contracts.Errorf(contracts.Invalid, "nothing was done")
	for _, c := range []struct {
		operation string
		err       error
		status    contracts.Status // empty: the error stays
	}{
		{"send-message", rejected, contracts.StatusError},
		{"create-sales-appointment", rejected, contracts.StatusError},
		{"send-message", broken, ""},
		{"send-message", errors.New("fault"), ""},
		{"buy-now", rejected, ""},
		{"create-lead", rejected, ""}, // its status is the lead's
	} {
		for _, entry := range catalog.All() {
			if entry.Info().Name != c.operation {
				continue
			}
			answer := answerRefusal(entry.Info(), catalog.All())(func(context.Context, any) (any, error) { return nil, c.err })
			response, err := answer(t.Context(), nil)
			result, _ := response.(*contracts.StatusResult)
			switch {
			case c.status == "" && (response != nil || !errors.Is(err, c.err)):
				t.Errorf("%s answers %v, %v", c.operation, response, err)
			case c.status != "" && (err != nil || result == nil || result.Status != c.status):
				t.Errorf("%s answers %v, %v", c.operation, response, err)
			}
		}
	}
	sessions := 0
	for _, entry := range catalog.All() {
		if result, has := statusError(entry); has && entry.Info().Name == "create-session" {
			if sessions++; result.(*contracts.Session).Status != contracts.StatusError {
				t.Errorf("%s answers %+v", entry.Info().ID(), result)
			}
		}
	}
	if sessions == 0 {
		t.Error("no create-session has a status")
	}
	ok := answerRefusal(professionalnetwork.SendMessage.Info(), nil)(func(context.Context, any) (any, error) { return 1, rejected })
	if response, err := ok(t.Context(), nil); response != 1 || err == nil {
		t.Error("an operation that is not listed is answered for")
	}
}
