package agency

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetPolicies lists the agency's policies.
var GetPolicies = contracts.Operation[GetPoliciesRequest, PolicyList]{
	Integration: integration,
	Name:        "get-policies",
	Method:      http.MethodGet,
	Path:        "/v1/agency/policies",
	Summary:     "List policies",
	Description: "Lists the insurance policies that the agency looks after.",
}

// GetPoliciesRequest has no fields.
type GetPoliciesRequest struct{}

// PolicyList is all policies of the agency.
type PolicyList struct {
	Policies []Policy `json:"policies" nullable:"false" doc:"The policies, in the application's order."`
}

// PolicyStatus says whether a policy is in force.
type PolicyStatus string

// The values of PolicyStatus.
const (
	PolicyQuoted              PolicyStatus = "quoted"
	PolicyPending             PolicyStatus = "pending" // bound, not yet in force
	PolicyActive              PolicyStatus = "active"
	PolicyPendingCancellation PolicyStatus = "pending-cancellation"
	PolicyCancelled           PolicyStatus = "cancelled"
	PolicyExpired             PolicyStatus = "expired"
	PolicyRenewed             PolicyStatus = "renewed" // replaced by its renewal
	PolicyUnknown             PolicyStatus = "unknown" // the application shows another status
)

// Policy is an insurance contract.
type Policy struct {
	PolicyID       string           `json:"policyId" doc:"The application's identifier of the policy." example:"P-99120"`
	PolicyNumber   string           `json:"policyNumber" sensitive:"true" doc:"The carrier's number of the policy." example:"BOP-4471902"`
	Status         PolicyStatus     `json:"status" enum:"quoted,pending,active,pending-cancellation,cancelled,expired,renewed,unknown" doc:"Whether the policy is in force." example:"active"`
	LineOfBusiness string           `json:"lineOfBusiness,omitempty" sensitive:"true" doc:"Kind of insurance." example:"Business owners"`
	Carrier        string           `json:"carrier,omitempty" sensitive:"true" doc:"Insurance company." example:"Great Plains Mutual"`
	InsuredName    string           `json:"insuredName,omitempty" sensitive:"true" doc:"Who is insured." example:"Hillcrest Bakery LLC"`
	EffectiveDate  string           `json:"effectiveDate,omitempty" doc:"First day in force." format:"date" example:"2026-04-01"`
	ExpirationDate string           `json:"expirationDate,omitempty" doc:"Day on which it ends." format:"date" example:"2027-04-01"`
	Premium        *contracts.Money `json:"premium,omitempty" sensitive:"true" doc:"Premium of the whole term."`
	BillingType    string           `json:"billingType,omitempty" sensitive:"true" doc:"Who bills, and how often, as the application writes it." example:"Direct bill, monthly"`
	Producer       string           `json:"producer,omitempty" sensitive:"true" doc:"Who sold the policy." example:"Maria Lindqvist"`
	Coverages      []Coverage       `json:"coverages,omitempty" nullable:"false" sensitive:"true" doc:"What is covered."`
}

// Coverage is one thing that a policy covers.
type Coverage struct {
	Name       string           `json:"name" doc:"What is covered." example:"General liability"`
	Limit      *contracts.Money `json:"limit,omitempty" doc:"The most that is paid."`
	Deductible *contracts.Money `json:"deductible,omitempty" doc:"What the insured bears."`
}
