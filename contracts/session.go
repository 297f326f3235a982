package contracts

import (
	"net/http"
	"time"
)

// Status is the result indicator of the operations that answer 200 also when
// the application itself says no.
type Status string

// The values of Status.
const (
	StatusOK    Status = "ok"
	StatusError Status = "error"
)

// StatusResult is the whole result of an operation that only succeeds or not.
type StatusResult struct {
	Status Status `json:"status" enum:"ok,error" doc:"ok when the application took the request; error when the application itself said no." example:"ok"`
}

// Session tells a browser-automation client how to reach the end user's
// signed-in browser.
type Session struct {
	Status                Status `json:"status" enum:"ok,error" doc:"ok when the browser is signed in; error when the application refused to sign the end user in." example:"ok"`
	WSURL                 string `json:"wsUrl" sensitive:"true" doc:"Address that the browser-automation client connects to (Chrome DevTools Protocol over WebSocket). It is secret: who has it has the session. Empty when status is error." example:"wss://gateway.example/sessions/019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70/devtools/browser/igw_st_YmFy"`
	PostSignInURL         string `json:"postSignInUrl" sensitive:"true" doc:"Page of the application that the signed-in browser stands on. Empty when status is error." example:"https://app.example/home"`
	DebuggerFullscreenURL string `json:"debuggerFullscreenUrl,omitempty" sensitive:"true" doc:"Page that shows the session live and full screen, for a person. As secret as wsUrl." example:"https://gateway.example/sessions/019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70/live#igw_st_Zm9v"`
}

// CreateSessionRequest has no fields: the account token says it all.
type CreateSessionRequest struct{}

// CreateSession returns the create-session operation of an integration; it is
// the same for all that have one.
func CreateSession(integration string) Operation[CreateSessionRequest, Session] {
	return Operation[CreateSessionRequest, Session]{
		Integration: integration,
		Name:        "create-session",
		Method:      http.MethodPost,
		Path:        "/v1/" + integration + "/session",
		Summary:     "Create a session",
		Description: "Opens a browser, signs the end user in to the application and returns how a browser-automation client reaches it. " +
			"When the application refuses to sign the end user in, the answer is 200 with `status` `error`.",
		Timeout: 90 * time.Second,
	}
}
