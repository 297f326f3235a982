package dealersales

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// CreateLead enters a customer's interest in a vehicle.
var CreateLead = contracts.Operation[CreateLeadRequest, Lead]{
	Integration: integration,
	Name:        "create-lead",
	Method:      http.MethodPost,
	Path:        "/v1/dealer-sales/leads",
	Summary:     "Create a lead",
	Description: "Enters a customer's interest in buying, and returns the lead as the application keeps it. The answer is 400, and nothing is entered, when the application refuses the data, for instance a customer that it does not have.",
	Effect:      contracts.Record,
	Creates:     "leadId",
}

// CreateLeadRequest says what to enter.
type CreateLeadRequest struct {
	Body NewLead `json:"body"`
}

// NewLead is a lead to be entered.
type NewLead struct {
	CustomerID     string           `json:"customerId" sensitive:"true" doc:"Customer who is interested." minLength:"1" maxLength:"128" example:"C-88012"`
	DealerID       string           `json:"dealerId" doc:"Dealer whose lead it is." minLength:"1" maxLength:"128" example:"D-014"`
	LeadSourceID   string           `json:"leadSourceId" doc:"Where the lead comes from: leadSourceId of the lead sources." minLength:"1" maxLength:"128" example:"LS-8"`
	LeadTypeID     string           `json:"leadTypeId" doc:"Kind of lead: leadTypeId of the lead types." minLength:"1" maxLength:"128" example:"LT-2"`
	AssignedUserID string           `json:"assignedUserId,omitempty" sensitive:"true" doc:"User of the dealer who works on the lead. When left out, the application assigns it." maxLength:"128" example:"U-205"`
	VehicleID      string           `json:"vehicleId,omitempty" sensitive:"true" doc:"Vehicle of the dealer that the customer is interested in." maxLength:"128" example:"V-55190"`
	Interest       *VehicleInterest `json:"interest,omitempty" sensitive:"true" doc:"What the customer looks for, when it is not one vehicle."`
	TradeIn        *TradeIn         `json:"tradeIn,omitempty" sensitive:"true" doc:"Vehicle that the customer wants to give in payment."`
	Comments       string           `json:"comments,omitempty" sensitive:"true" doc:"What the customer said or asked." maxLength:"4000" example:"Would like a test drive on Saturday morning."`
}

// VehicleInterest is what a customer looks for.
type VehicleInterest struct {
	Condition VehicleCondition `json:"condition,omitempty" enum:"new,used,certified,demo" doc:"Condition." example:"new"`
	Year      int              `json:"year,omitempty" doc:"Model year." minimum:"1900" maximum:"2100" example:"2025"`
	Make      string           `json:"make,omitempty" doc:"Make." maxLength:"100" example:"Honda"`
	Model     string           `json:"model,omitempty" doc:"Model." maxLength:"100" example:"Ridgeline"`
	Trim      string           `json:"trim,omitempty" doc:"Trim level." maxLength:"100" example:"RTL"`
}

// TradeIn is a vehicle that a customer wants to give in payment.
type TradeIn struct {
	VIN     string `json:"vin,omitempty" sensitive:"true" doc:"Vehicle identification number (ISO 3779)." pattern:"^[A-HJ-NPR-Z0-9]{17}$" patternDescription:"a vehicle identification number of 17 capital letters (not I, O, Q) and digits" example:"1HGCV1F34LA098765"`
	Year    int    `json:"year" doc:"Model year." minimum:"1900" maximum:"2100" example:"2020"`
	Make    string `json:"make" doc:"Make." minLength:"1" maxLength:"100" example:"Honda"`
	Model   string `json:"model" doc:"Model." minLength:"1" maxLength:"100" example:"Accord"`
	Mileage *int   `json:"mileage,omitempty" doc:"Reading of the odometer, in the unit that the dealer uses." minimum:"0" maximum:"10000000" example:"61200"`
}

// LeadStatus says how far a lead has come.
type LeadStatus string

// The values of LeadStatus.
const (
	LeadNew         LeadStatus = "new"
	LeadWorking     LeadStatus = "working"
	LeadAppointment LeadStatus = "appointment"
	LeadSold        LeadStatus = "sold"
	LeadLost        LeadStatus = "lost"
	LeadDuplicate   LeadStatus = "duplicate"
	LeadUnknown     LeadStatus = "unknown" // the application shows another status
)

// Lead is a customer's interest in buying.
type Lead struct {
	LeadID         string     `json:"leadId" doc:"The application's identifier of the lead." example:"L-330871"`
	CustomerID     string     `json:"customerId" sensitive:"true" doc:"Customer who is interested." example:"C-88012"`
	DealerID       string     `json:"dealerId,omitempty" doc:"Dealer whose lead it is." example:"D-014"`
	Status         LeadStatus `json:"status" enum:"new,working,appointment,sold,lost,duplicate,unknown" doc:"How far the lead has come." example:"new"`
	LeadSourceID   string     `json:"leadSourceId,omitempty" doc:"Where the lead comes from." example:"LS-8"`
	LeadTypeID     string     `json:"leadTypeId,omitempty" doc:"Kind of lead." example:"LT-2"`
	AssignedUserID string     `json:"assignedUserId,omitempty" sensitive:"true" doc:"User of the dealer who works on the lead." example:"U-205"`
	VehicleID      string     `json:"vehicleId,omitempty" sensitive:"true" doc:"Vehicle that the customer is interested in." example:"V-55190"`
	Comments       string     `json:"comments,omitempty" sensitive:"true" doc:"What the customer said or asked." example:"Would like a test drive on Saturday morning."`
	CreatedAt      *time.Time `json:"createdAt,omitempty" doc:"When the lead was entered." example:"2026-11-20T15:04:05-06:00"`
}
