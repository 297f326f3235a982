package audit

import (
	"time"

	"integration.gateway/contracts"
)

// checkTimeout bounds the answer, which readiness waits for.
const checkTimeout = time.Second

// CheckLog tells whether the event log takes events. It has no route; gateways
// call it when they are asked whether they are ready.
var CheckLog = contracts.Operation[CheckLogRequest, LogHealth]{
	Integration: integration,
	Name:        "check-log",
	Summary:     "Tell whether the event log takes events",
	Access:      contracts.Internal,
	Timeout:     checkTimeout,
	Polled:      true,
}

// CheckLogRequest asks whether the log takes events.
type CheckLogRequest struct{}

// LogHealth says why the log takes no events.
type LogHealth struct {
	Problem string `json:"problem" doc:"Why the log takes no events; empty when it does."`
}
