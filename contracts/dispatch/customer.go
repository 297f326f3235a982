package dispatch

import (
	"time"

	"integration.gateway/contracts"
)

// CustomerType says what kind of customer crews visit.
type CustomerType string

// The values of CustomerType.
const (
	Residential CustomerType = "residential"
	Commercial  CustomerType = "commercial"
)

// PhoneType says what a telephone number is for.
type PhoneType string

// The values of PhoneType.
const (
	Mobile     PhoneType = "mobile"
	Home       PhoneType = "home"
	Work       PhoneType = "work"
	Fax        PhoneType = "fax"
	OtherPhone PhoneType = "other"
)

// AddressType says what an address is for.
type AddressType string

// The values of AddressType.
const (
	ServiceAddress AddressType = "service" // where crews go
	BillingAddress AddressType = "billing" // where invoices go
)

// Customer is a person or company whom crews visit.
type Customer struct {
	FirstName    string            `json:"firstName,omitempty" sensitive:"true" doc:"Given name of the customer or of the contact at a company." maxLength:"100" example:"Omar"`
	LastName     string            `json:"lastName,omitempty" sensitive:"true" doc:"Family name of the customer or of the contact at a company." maxLength:"100" example:"Reyes"`
	CompanyName  string            `json:"companyName,omitempty" sensitive:"true" doc:"Name of the company, for commercial customers." maxLength:"200" example:"Reyes Property Management"`
	Type         CustomerType      `json:"type,omitempty" enum:"residential,commercial" doc:"What kind of customer it is." example:"commercial"`
	Email        string            `json:"email,omitempty" sensitive:"true" doc:"E-mail address." format:"email" maxLength:"254" example:"omar@reyes.example"`
	Phones       []Phone           `json:"phones,omitempty" nullable:"false" doc:"Telephone numbers, the main one first." maxItems:"10"`
	Addresses    []CustomerAddress `json:"addresses,omitempty" nullable:"false" doc:"Addresses, the main one first." maxItems:"20"`
	Notes        string            `json:"notes,omitempty" sensitive:"true" doc:"What crews must know." maxLength:"4000" example:"Gate code 4471; the dog is friendly."`
	Tags         []string          `json:"tags,omitempty" nullable:"false" sensitive:"true" doc:"Labels." maxItems:"50" maxLength:"100" example:"[\"maintenance plan\"]"`
	LeadSource   string            `json:"leadSource,omitempty" sensitive:"true" doc:"How the customer found the business." maxLength:"100" example:"Referral"`
	TaxExempt    *bool             `json:"taxExempt,omitempty" doc:"Whether no sales tax is charged." example:"false"`
	PaymentTerms string            `json:"paymentTerms,omitempty" sensitive:"true" doc:"When invoices are due, as the application writes it." maxLength:"100" example:"Net 30"`
}

// Phone is a telephone number of a customer.
type Phone struct {
	Number string    `json:"number" sensitive:"true" doc:"Telephone number." minLength:"3" maxLength:"40" pattern:"^[0-9+().x -]+$" patternDescription:"a telephone number" example:"+1 217 555 0143"`
	Type   PhoneType `json:"type,omitempty" enum:"mobile,home,work,fax,other" doc:"What the number is for." example:"mobile"`
}

// CustomerAddress is an address of a customer.
type CustomerAddress struct {
	Type    AddressType       `json:"type,omitempty" enum:"service,billing" doc:"What the address is for." example:"service"`
	Address contracts.Address `json:"address" doc:"Where it is."`
}

// CustomerRecord is a customer as the application keeps it.
type CustomerRecord struct {
	CustomerID  string     `json:"customerId" sensitive:"true" doc:"The application's identifier of the customer." example:"cus_7f81d2"`
	Customer    Customer   `json:"customer" doc:"The customer's data after the operation, as far as the application shows it."`
	CustomerURL string     `json:"customerUrl,omitempty" sensitive:"true" doc:"Address of the customer's page at the application." format:"uri" example:"https://dispatch.example/customers/cus_7f81d2"`
	UpdatedAt   *time.Time `json:"updatedAt,omitempty" doc:"When the record was last changed, where the application shows it." example:"2026-11-20T15:04:05Z"`
}
