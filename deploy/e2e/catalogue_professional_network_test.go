package e2e_test

import (
	"net/http"

	"integration.gateway/contracts"
	"integration.gateway/contracts/professionalnetwork"
	networksandbox "integration.gateway/services/professionalnetwork/sandbox"
)

// letter is a message with what messages are made of.
var letter = professionalnetwork.NewMessage{
	To:      networksandbox.Talkative,
	Content: "Thank you for the talk yesterday.\n\nWould you have time for a \"call\" next week? 😀",
}

var professionalNetworkCases = []operationCase{
	{
		op: professionalnetwork.SendMessage, body: letter,
		check: checked(func(g *gateway, answer contracts.StatusResult) {
			sent := stateOf[networksandbox.State](g).Sent
			if answer.Status != contracts.StatusOK || len(sent) != 1 || sent[0].To != letter.To || sent[0].Text != letter.Content {
				g.Errorf("the answer is %+v, the network has %+v", answer, sent)
			}
		}),
		refuses: []refusalCase{
			{name: "unknown recipient", body: professionalnetwork.NewMessage{To: "nobody", Content: "Hello"}, status: http.StatusOK, says: "no member", events: rejectedEvents},
			{name: "recipient without messages", body: professionalnetwork.NewMessage{To: networksandbox.Closed, Content: "Hello"}, status: http.StatusOK, says: "messages", events: rejectedEvents},
			{name: "oneself", body: professionalnetwork.NewMessage{To: "jane-roe", Content: "Hello"}, status: http.StatusOK, says: "yourself", events: rejectedEvents},
			{name: "no text", body: professionalnetwork.NewMessage{To: networksandbox.Talkative, Content: " \n"}, status: http.StatusOK, says: "without text", events: rejectedEvents},
			{name: "recipient refuses", body: professionalnetwork.NewMessage{To: networksandbox.Guarded, Content: "Hello"}, status: http.StatusOK, says: "connections only", events: notAppliedEvents},
			{name: "limit reached", user: &networksandbox.Sam, status: http.StatusOK, says: "limit of messages", events: notAppliedEvents},
			{name: "malformed recipient", body: professionalnetwork.NewMessage{To: "in/amara", Content: "Hello"}, status: http.StatusBadRequest, says: "to"},
			{name: "no content", body: professionalnetwork.NewMessage{To: networksandbox.Talkative}, status: http.StatusBadRequest, says: "content"},
		},
	},
}
