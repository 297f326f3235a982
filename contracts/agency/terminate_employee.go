package agency

import (
	"net/http"

	"integration.gateway/contracts"
)

// TerminateEmployee ends an employment.
var TerminateEmployee = contracts.Operation[TerminateEmployeeRequest, EmployeeChange]{
	Integration: integration,
	Name:        "terminate-employee",
	Method:      http.MethodDelete,
	Path:        "/v1/agency/employees/{employeeId}",
	Summary:     "Terminate an employee",
	Description: "Ends an employment on a day; the employee's record stays at the application. The request carries a body. The answer is 404 when the application has no such employee, and 400, with nothing changed, when the application refuses, for instance an employment that has ended already.",
	Effect:      contracts.Record,
}

// TerminateEmployeeRequest says whose employment ends, and when.
type TerminateEmployeeRequest struct {
	EmployeeID string      `path:"employeeId" json:"employeeId" sensitive:"true" doc:"The application's identifier of the employee." minLength:"1" maxLength:"128" example:"E-2041"`
	Body       Termination `json:"body"`
}

// Termination says when and why an employment ends.
type Termination struct {
	DateOfTermination string            `json:"dateOfTermination" sensitive:"true" doc:"Last day of employment." format:"date" example:"2026-12-31"`
	TerminationReason TerminationReason `json:"terminationReason,omitempty" sensitive:"true" enum:"voluntary,involuntary,layoff,retirement,end-of-contract,job-abandonment,deceased,other" doc:"Why the employment ends." example:"voluntary"`
}
