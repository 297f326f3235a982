package agency

import (
	"net/http"

	"integration.gateway/contracts"
)

// CreateEmployee enters a new employee.
var CreateEmployee = contracts.Operation[CreateEmployeeRequest, Employee]{
	Integration: integration,
	Name:        "create-employee",
	Method:      http.MethodPost,
	Path:        "/v1/agency/employees",
	Summary:     "Create an employee",
	Description: "Enters a new employee and returns the record as the application keeps it. The answer is 400, and nobody is entered, when the application refuses the data, for instance an employee that it has already.",
	Effect:      contracts.Record,
	Creates:     "employeeId",
}

// CreateEmployeeRequest says whom to enter.
type CreateEmployeeRequest struct {
	Body NewEmployee `json:"body"`
}

// NewEmployee is an employee to be entered.
type NewEmployee struct {
	FirstName       string         `json:"firstName" sensitive:"true" doc:"Given name." minLength:"1" maxLength:"100" example:"Maria"`
	LastName        string         `json:"lastName" sensitive:"true" doc:"Family name." minLength:"1" maxLength:"100" example:"Lindqvist"`
	BirthDate       string         `json:"birthDate" sensitive:"true" doc:"Date of birth." format:"date" example:"1990-03-08"`
	HireDate        string         `json:"hireDate" sensitive:"true" doc:"First day of employment." format:"date" example:"2024-09-02"`
	WorkHours       float64        `json:"workHours" sensitive:"true" doc:"Working hours a week." minimum:"0" maximum:"168" example:"37.5"`
	CurrentSalary   float64        `json:"currentSalary" sensitive:"true" doc:"What the employee earns in one salaryFrequency, in the agency's currency." minimum:"0" maximum:"1000000000" example:"58500"`
	SalaryFrequency EarningsPeriod `json:"salaryFrequency" enum:"hourly,daily,weekly,biweekly,semimonthly,monthly,quarterly,annually" doc:"Period that currentSalary is paid for." example:"annually"`
}

// Validate returns an error of kind Invalid when the dates are out of order.
func (r *CreateEmployeeRequest) Validate() error {
	return contracts.DatesInOrder("birthDate", r.Body.BirthDate, "hireDate", r.Body.HireDate)
}
