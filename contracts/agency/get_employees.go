package agency

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetEmployees lists the agency's employees.
var GetEmployees = contracts.Operation[GetEmployeesRequest, EmployeeList]{
	Integration: integration,
	Name:        "get-employees",
	Method:      http.MethodGet,
	Path:        "/v1/agency/employees",
	Summary:     "List employees",
	Description: "Lists the agency's employees, former ones included where the application shows them.",
}

// GetEmployeesRequest has no fields.
type GetEmployeesRequest struct{}

// EmployeeList is all employees of the agency.
type EmployeeList struct {
	Employees []Employee `json:"employees" nullable:"false" doc:"The employees, in the application's order."`
}
