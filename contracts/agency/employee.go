package agency

import "integration.gateway/contracts"

// EarningsPeriod is the period that an amount of earnings is paid for.
type EarningsPeriod string

// The values of EarningsPeriod.
const (
	Hourly      EarningsPeriod = "hourly"
	Daily       EarningsPeriod = "daily"
	Weekly      EarningsPeriod = "weekly"
	Biweekly    EarningsPeriod = "biweekly"    // every two weeks
	Semimonthly EarningsPeriod = "semimonthly" // twice a month
	Monthly     EarningsPeriod = "monthly"
	Quarterly   EarningsPeriod = "quarterly"
	Annually    EarningsPeriod = "annually"
)

// TerminationReason says why an employment ends.
type TerminationReason string

// The values of TerminationReason.
const (
	Voluntary     TerminationReason = "voluntary"   // the employee leaves
	Involuntary   TerminationReason = "involuntary" // the agency dismisses
	Layoff        TerminationReason = "layoff"
	Retirement    TerminationReason = "retirement"
	EndOfContract TerminationReason = "end-of-contract"
	JobAbandoned  TerminationReason = "job-abandonment"
	Deceased      TerminationReason = "deceased"
	OtherReason   TerminationReason = "other"
)

// EmploymentStatus says whether an employee works for the agency.
type EmploymentStatus string

// The values of EmploymentStatus.
const (
	Employed   EmploymentStatus = "active"
	OnLeave    EmploymentStatus = "on-leave"
	Terminated EmploymentStatus = "terminated"
)

// Employee is a person who works or worked for the agency.
type Employee struct {
	EmployeeID        string            `json:"employeeId" sensitive:"true" doc:"The application's identifier of the employee." example:"E-2041"`
	FirstName         string            `json:"firstName" sensitive:"true" doc:"Given name." example:"Maria"`
	LastName          string            `json:"lastName" sensitive:"true" doc:"Family name." example:"Lindqvist"`
	Status            EmploymentStatus  `json:"status" enum:"active,on-leave,terminated" doc:"Whether the employee works for the agency." example:"active"`
	BirthDate         string            `json:"birthDate,omitempty" sensitive:"true" doc:"Date of birth." format:"date" example:"1990-03-08"`
	HireDate          string            `json:"hireDate,omitempty" sensitive:"true" doc:"First day of employment." format:"date" example:"2024-09-02"`
	JobTitle          string            `json:"jobTitle,omitempty" sensitive:"true" doc:"Position." example:"Account manager"`
	Department        string            `json:"department,omitempty" sensitive:"true" doc:"Department." example:"Commercial lines"`
	Email             string            `json:"email,omitempty" sensitive:"true" doc:"E-mail address." format:"email" example:"maria.lindqvist@prairie.example"`
	Phone             string            `json:"phone,omitempty" sensitive:"true" doc:"Telephone number, as the application shows it." example:"+1 217 555 0162"`
	WorkHours         *float64          `json:"workHours,omitempty" sensitive:"true" doc:"Working hours a week." minimum:"0" example:"37.5"`
	Salary            *contracts.Money  `json:"salary,omitempty" sensitive:"true" doc:"What the employee earns in one salaryFrequency."`
	SalaryFrequency   EarningsPeriod    `json:"salaryFrequency,omitempty" enum:"hourly,daily,weekly,biweekly,semimonthly,monthly,quarterly,annually" doc:"Period that the salary is paid for." example:"annually"`
	DateOfTermination string            `json:"dateOfTermination,omitempty" sensitive:"true" doc:"Last day of employment." format:"date" example:"2026-12-31"`
	TerminationReason TerminationReason `json:"terminationReason,omitempty" sensitive:"true" enum:"voluntary,involuntary,layoff,retirement,end-of-contract,job-abandonment,deceased,other" doc:"Why the employment ended." example:"voluntary"`
}

// EmployeeChange is the result of an edit or a termination.
type EmployeeChange struct {
	EmployeeID    string           `json:"employeeId" sensitive:"true" doc:"Employee who was changed." example:"E-2041"`
	EffectiveDate string           `json:"effectiveDate" doc:"Day from which the change holds." format:"date" example:"2026-12-01"`
	Status        EmploymentStatus `json:"status" enum:"active,on-leave,terminated" doc:"Whether the employee works for the agency, as the application shows it after the change." example:"active"`
	Employee      *Employee        `json:"employee,omitempty" doc:"The employee after the change, where the application shows it."`
}
