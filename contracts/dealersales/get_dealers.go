package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetDealers lists the dealers that the end user works for.
var GetDealers = contracts.Operation[GetDealersRequest, DealerList]{
	Integration: integration,
	Name:        "get-dealers",
	Method:      http.MethodGet,
	Path:        "/v1/dealer-sales/dealers",
	Summary:     "List dealers",
	Description: "Lists the dealers that the end user may see.",
}

// GetDealersRequest has no fields.
type GetDealersRequest struct{}

// DealerList is all dealers of the end user.
type DealerList struct {
	Dealers []Dealer `json:"dealers" nullable:"false" doc:"The dealers, in the application's order."`
}

// Dealer is a place that sells vehicles.
type Dealer struct {
	DealerID     string             `json:"dealerId" doc:"The application's identifier of the dealer." example:"D-014"`
	Name         string             `json:"name" doc:"Name of the dealer." example:"Crossroads Motors Springfield"`
	DealerNumber string             `json:"dealerNumber,omitempty" doc:"The manufacturer's number of the dealer." example:"208114"`
	Makes        []string           `json:"makes,omitempty" nullable:"false" doc:"Makes that the dealer sells new." example:"[\"Honda\"]"`
	Phone        string             `json:"phone,omitempty" doc:"The dealer's public telephone number." example:"+1 217 555 0180"`
	Website      string             `json:"website,omitempty" doc:"The dealer's public web page." format:"uri" example:"https://crossroads.example"`
	Address      *contracts.Address `json:"address,omitempty" doc:"Where the dealer is."`
	TimeZone     string             `json:"timeZone,omitempty" doc:"The dealer's time zone, as an IANA name." example:"America/Chicago"`
}
