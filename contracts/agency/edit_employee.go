package agency

import (
	"net/http"

	"integration.gateway/contracts"
)

// EditEmployee changes an employee.
var EditEmployee = contracts.Operation[EditEmployeeRequest, EmployeeChange]{
	Integration: integration,
	Name:        "edit-employee",
	Method:      http.MethodPatch,
	Path:        "/v1/agency/employees/{employeeId}",
	Summary:     "Edit an employee",
	Description: "Changes the fields that are given, from a day on; the others stay as they are. The answer is 404 when the application has no such employee, and 400, with nothing changed, when the application refuses the data.",
	Effect:      contracts.Record,
}

// EditEmployeeRequest says whom to change, and how.
type EditEmployeeRequest struct {
	EmployeeID string       `path:"employeeId" json:"employeeId" sensitive:"true" doc:"The application's identifier of the employee." minLength:"1" maxLength:"128" example:"E-2041"`
	Body       EmployeeEdit `json:"body"`
}

// EmployeeEdit holds the fields to change.
type EmployeeEdit struct {
	EffectiveDateOfChange string         `json:"effectiveDateOfChange" doc:"Day from which the change holds." format:"date" example:"2026-12-01"`
	FirstName             string         `json:"firstName,omitempty" sensitive:"true" doc:"Given name." minLength:"1" maxLength:"100" example:"Maria"`
	LastName              string         `json:"lastName,omitempty" sensitive:"true" doc:"Family name." minLength:"1" maxLength:"100" example:"Lindqvist"`
	Earnings              *float64       `json:"earnings,omitempty" sensitive:"true" doc:"What the employee earns in one earningsPeriod, in the agency's currency." minimum:"0" maximum:"1000000000" example:"61200"`
	WorkHours             *float64       `json:"workHours,omitempty" sensitive:"true" doc:"Working hours a week." minimum:"0" maximum:"168" example:"40"`
	EarningsPeriod        EarningsPeriod `json:"earningsPeriod,omitempty" enum:"hourly,daily,weekly,biweekly,semimonthly,monthly,quarterly,annually" doc:"Period that earnings are paid for." example:"annually"`
}
