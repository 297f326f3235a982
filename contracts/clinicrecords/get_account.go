package clinicrecords

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// GetAccount reads the accounts that the business has at the application.
var GetAccount = contracts.Operation[GetAccountRequest, AccountData]{
	Integration: integration,
	Name:        "get-account",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/account",
	Summary:     "Get account data",
	Description: "Returns the data of all accounts that the business has at the application.",
}

// GetAccountRequest has no fields.
type GetAccountRequest struct{}

// AccountData is all accounts of the business.
type AccountData struct {
	Accounts []BusinessAccount `json:"accounts" nullable:"false" doc:"The accounts that the end user may see."`
}

// BusinessAccount is an account of the business at the application.
type BusinessAccount struct {
	AccountID string             `json:"accountId" sensitive:"true" doc:"The application's identifier of the account." example:"ACC-20417"`
	Name      string             `json:"name" sensitive:"true" doc:"Name of the business." example:"Elm Street Aesthetics"`
	LegalName string             `json:"legalName,omitempty" sensitive:"true" doc:"Registered name of the business." example:"Elm Street Aesthetics LLC"`
	Plan      string             `json:"plan,omitempty" doc:"Plan that the business is on at the application." example:"Professional"`
	Active    bool               `json:"active" doc:"Whether the account is in use." example:"true"`
	OwnerName string             `json:"ownerName,omitempty" sensitive:"true" doc:"Person who owns the account." example:"Amelia Hart"`
	Email     string             `json:"email,omitempty" sensitive:"true" doc:"E-mail address of the account." format:"email" example:"owner@elmstreet.example"`
	Phone     string             `json:"phone,omitempty" sensitive:"true" doc:"Telephone number of the account." example:"+1 217 555 0100"`
	Address   *contracts.Address `json:"address,omitempty" doc:"Address of the business."`
	TimeZone  string             `json:"timeZone,omitempty" doc:"Time zone of the business, as an IANA name." example:"America/Chicago"`
	Currency  string             `json:"currency,omitempty" doc:"ISO 4217 code of the currency that the business charges in." example:"USD"`
	ClinicIDs []int64            `json:"clinicIds,omitempty" nullable:"false" doc:"Clinics that belong to the account." example:"[12]"`
	CreatedAt *time.Time         `json:"createdAt,omitempty" doc:"When the account was opened." example:"2022-06-01T09:00:00-05:00"`
}
