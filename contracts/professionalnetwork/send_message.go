package professionalnetwork

import (
	"net/http"

	"integration.gateway/contracts"
)

// SendMessage writes to another member of the network.
var SendMessage = contracts.Operation[SendMessageRequest, contracts.StatusResult]{
	Integration: integration,
	Name:        "send-message",
	Method:      http.MethodPost,
	Path:        "/v1/professional-network/messages",
	Summary:     "Send a message",
	Description: "Sends a message from the end user to another member. When the network itself says no, for instance to a recipient who is unknown or takes no messages from the end user, the answer is 200 with `status` `error`, and nothing was sent.",
	Effect:      contracts.Message,
}

// SendMessageRequest says what to write, and to whom.
type SendMessageRequest struct {
	Body NewMessage `json:"body"`
}

// NewMessage is a message to be sent.
type NewMessage struct {
	To      string `json:"to" sensitive:"true" doc:"Profile name of the recipient: the final path segment of the recipient's public profile address." minLength:"1" maxLength:"200" pattern:"^[^/?#\\s]+$" patternDescription:"a profile name, without slashes, spaces, ? and #" example:"jane-roe-4b2a91"`
	Content string `json:"content" sensitive:"true" doc:"Text of the message." minLength:"1" maxLength:"8000" example:"Thank you for the talk yesterday. Would you have time for a call next week?"`
}
