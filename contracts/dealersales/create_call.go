package dealersales

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// CreateCall enters a telephone call with a customer.
var CreateCall = contracts.Operation[CreateCallRequest, CallRecord]{
	Integration: integration,
	Name:        "create-call",
	Method:      http.MethodPost,
	Path:        "/v1/dealer-sales/calls",
	Summary:     "Create a call",
	Description: "Enters a telephone call with a customer, made or to be made; nobody is called. The answer is 400, and nothing is entered, when the application refuses the data, for instance a customer that it does not have.",
	Effect:      contracts.Record,
	Creates:     "callId",
}

// CallDirection says who calls whom.
type CallDirection string

// The values of CallDirection.
const (
	Inbound  CallDirection = "inbound"  // the customer calls
	Outbound CallDirection = "outbound" // the dealer calls
)

// CallOutcome says what came of a call.
type CallOutcome string

// The values of CallOutcome.
const (
	CallScheduled   CallOutcome = "scheduled" // is to be made
	CallConnected   CallOutcome = "connected"
	CallNoAnswer    CallOutcome = "no-answer"
	CallBusy        CallOutcome = "busy"
	CallVoicemail   CallOutcome = "left-voicemail"
	CallWrongNumber CallOutcome = "wrong-number"
)

// CreateCallRequest says what to enter.
type CreateCallRequest struct {
	Body NewCall `json:"body"`
}

// NewCall is a call to be entered.
type NewCall struct {
	CustomerID      string        `json:"customerId" sensitive:"true" doc:"Customer on the line." minLength:"1" maxLength:"128" example:"C-88012"`
	DealerID        string        `json:"dealerId" doc:"Dealer on the line." minLength:"1" maxLength:"128" example:"D-014"`
	LeadID          string        `json:"leadId,omitempty" doc:"Lead that the call is about." maxLength:"128" example:"L-330871"`
	UserID          string        `json:"userId,omitempty" sensitive:"true" doc:"User of the dealer on the line. The end user when left out." maxLength:"128" example:"U-205"`
	Direction       CallDirection `json:"direction" enum:"inbound,outbound" doc:"Who calls whom." example:"outbound"`
	Outcome         CallOutcome   `json:"outcome" enum:"scheduled,connected,no-answer,busy,left-voicemail,wrong-number" doc:"What came of the call." example:"connected"`
	PhoneNumber     string        `json:"phoneNumber,omitempty" sensitive:"true" doc:"The customer's telephone number." maxLength:"40" pattern:"^[0-9+().x -]+$" patternDescription:"a telephone number" example:"+1 217 555 0155"`
	StartTime       time.Time     `json:"startTime" sensitive:"true" doc:"When the call began or is to begin, as RFC 3339 with an offset from UTC." example:"2026-11-20T09:30:00-06:00"`
	DurationSeconds *int          `json:"durationSeconds,omitempty" doc:"Length in seconds." minimum:"0" maximum:"86400" example:"240"`
	Notes           string        `json:"notes,omitempty" sensitive:"true" doc:"What was said." maxLength:"4000" example:"Confirmed Saturday, 10 a.m."`
}

// CallRecord is a call as the application keeps it.
type CallRecord struct {
	CallID     string        `json:"callId" doc:"The application's identifier of the call." example:"CL-90177"`
	CustomerID string        `json:"customerId" sensitive:"true" doc:"Customer on the line." example:"C-88012"`
	LeadID     string        `json:"leadId,omitempty" doc:"Lead that the call is about." example:"L-330871"`
	Direction  CallDirection `json:"direction,omitempty" enum:"inbound,outbound" doc:"Who calls whom." example:"outbound"`
	Outcome    CallOutcome   `json:"outcome,omitempty" enum:"scheduled,connected,no-answer,busy,left-voicemail,wrong-number" doc:"What came of the call." example:"connected"`
	StartTime  *time.Time    `json:"startTime,omitempty" sensitive:"true" doc:"When the call began or is to begin." example:"2026-11-20T09:30:00-06:00"`
}
