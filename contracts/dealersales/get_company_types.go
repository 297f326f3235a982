package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetCompanyTypes lists the kinds of company that a customer can be.
var GetCompanyTypes = contracts.Operation[GetCompanyTypesRequest, CompanyTypeList]{
	Integration: integration,
	Name:        "get-company-types",
	Method:      http.MethodGet,
	Path:        "/v1/dealer-sales/company-types",
	Summary:     "List company types",
	Description: "Lists the kinds of company that a customer can be entered as.",
}

// GetCompanyTypesRequest has no fields.
type GetCompanyTypesRequest struct{}

// CompanyTypeList is all company types.
type CompanyTypeList struct {
	CompanyTypes []CompanyType `json:"companyTypes" nullable:"false" doc:"The types, in the application's order."`
}

// CompanyType is a kind of company.
type CompanyType struct {
	CompanyTypeID string `json:"companyTypeId" doc:"The application's identifier of the type; create customer takes it." example:"CT-3"`
	Name          string `json:"name" doc:"Name of the type." example:"Small business"`
}
