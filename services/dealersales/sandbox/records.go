package sandbox

import (
	"strings"
	"time"
)

// Customer is a person or company that buys, or may buy.
type Customer struct {
	ID            string    `json:"id"`
	DealerID      string    `json:"dealerId"`
	FirstName     string    `json:"firstName"`
	LastName      string    `json:"lastName"`
	Company       string    `json:"company"`
	CompanyTypeID string    `json:"companyTypeId"`
	Email         string    `json:"email"`
	Mobile        string    `json:"mobile"`
	Home          string    `json:"home"`
	Work          string    `json:"work"`
	Preferred     string    `json:"preferred"` // Phone, Text, Email or ""
	DoNotContact  bool      `json:"doNotContact"`
	Line1         string    `json:"line1"`
	Line2         string    `json:"line2"`
	City          string    `json:"city"`
	Region        string    `json:"region"`
	PostalCode    string    `json:"postalCode"`
	Country       string    `json:"country"`
	CreatedAt     time.Time `json:"createdAt"`
}

// Name is what the customer is called: the person, else the company.
func (c Customer) Name() string {
	if name := strings.TrimSpace(c.FirstName + " " + c.LastName); name != "" {
		return name
	}
	return c.Company
}

// Lead is a customer's interest in a vehicle.
type Lead struct {
	ID         string    `json:"id"`
	CustomerID string    `json:"customerId"`
	DealerID   string    `json:"dealerId"`
	Status     string    `json:"status"` // New, Working, Appointment set, Sold, Lost or Duplicate
	SourceID   string    `json:"sourceId"`
	TypeID     string    `json:"typeId"`
	UserID     string    `json:"userId"`
	VehicleID  string    `json:"vehicleId"`
	Interest   Wish      `json:"interest"`
	TradeIn    TradeIn   `json:"tradeIn"`
	Comments   string    `json:"comments"`
	Reference  string    `json:"reference"`
	CreatedAt  time.Time `json:"createdAt"`
}

// Wish is what a customer looks for, when it is not one vehicle.
type Wish struct {
	Condition string `json:"condition"`
	Year      string `json:"year"`
	Make      string `json:"make"`
	Model     string `json:"model"`
	Trim      string `json:"trim"`
}

// TradeIn is a vehicle that a customer wants to give in payment.
type TradeIn struct {
	Year    string `json:"year"`
	Make    string `json:"make"`
	Model   string `json:"model"`
	VIN     string `json:"vin"`
	Mileage string `json:"mileage"`
}

// The states of a lead, as the application writes them.
const (
	leadNew         = "New"
	leadAppointment = "Appointment set"
)

// Call is a telephone call with a customer.
type Call struct {
	ID         string    `json:"id"`
	CustomerID string    `json:"customerId"`
	DealerID   string    `json:"dealerId"`
	LeadID     string    `json:"leadId"`
	UserID     string    `json:"userId"`
	Direction  string    `json:"direction"` // Inbound or Outbound
	Outcome    string    `json:"outcome"`
	Phone      string    `json:"phone"`
	StartTime  time.Time `json:"startTime"`
	Seconds    int       `json:"seconds"` // -1 where nobody said
	Notes      string    `json:"notes"`
}

// callOutcomes are what can come of a call, as the application writes it.
var callOutcomes = []string{"Scheduled", "Connected", "No answer", "Busy", "Left voicemail", "Wrong number"}

// Appointment is a customer's visit to a dealer.
type Appointment struct {
	ID         string    `json:"id"`
	LeadID     string    `json:"leadId"`
	CustomerID string    `json:"customerId"`
	DealerID   string    `json:"dealerId"`
	UserID     string    `json:"userId"`
	VehicleID  string    `json:"vehicleId"`
	Subject    string    `json:"subject"`
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	Status     string    `json:"status"`
	CreatedAt  time.Time `json:"createdAt"`
}

// The states of an appointment, as the application writes them.
const (
	scheduled   = "Scheduled"
	confirmed   = "Confirmed"
	showed      = "Showed"
	noShow      = "No show"
	rescheduled = "Rescheduled"
	cancelled   = "Cancelled"
	completed   = "Completed"
)

var appointmentStates = []string{scheduled, confirmed, showed, noShow, rescheduled, cancelled, completed}

// takesTime says whether the user cannot do anything else then.
func (a Appointment) takesTime() bool { return a.Status != cancelled && a.Status != rescheduled }

func (a Appointment) overlaps(b Appointment) bool {
	return a.UserID == b.UserID && a.takesTime() && a.Start.Before(b.End) && b.Start.Before(a.End)
}

// ways are how a customer can want to be reached.
var ways = []string{"Phone", "Text", "Email"}
