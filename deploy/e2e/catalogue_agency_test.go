package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/agency"
	"integration.gateway/services/agency/sandbox"
)

// agencySeed is how every stand-in of the agency starts out.
var agencySeed = sandbox.New()

// Employees of the seed.
var (
	promoted   = seededEmployee(sandbox.Active, 0)
	dismissed  = seededEmployee(sandbox.Active, 1)
	unharmed   = seededEmployee(sandbox.OnLeave, 0)
	gone       = seededEmployee(sandbox.Terminated, 0)
	noEmployee = "E-9999999"
)

// seededEmployee returns the nth employee of the seed who has a status.
func seededEmployee(status string, n int) sandbox.Employee {
	return slices.DeleteFunc(agencySeed.Employees(), func(e sandbox.Employee) bool { return e.Status != status })[n]
}

// newcomer is entered by the success of create-employee.
var newcomer = map[string]any{
	"firstName": "Zsófia", "lastName": `O'Leary "Zizi" Márton`, "birthDate": "1990-03-08", "hireDate": "2024-09-02",
	"workHours": 37.5, "currentSalary": 2350.25, "salaryFrequency": "semimonthly",
}

// agencyBody is a body with another value of a field, or without it.
func agencyBody(body map[string]any, field string, value any) map[string]any {
	changed := maps.Clone(body)
	if changed[field] = value; value == nil {
		delete(changed, field)
	}
	return changed
}

// badEmployeeValues refuses a body without each of its required fields, and with values
// that the contract does not have.
func badEmployeeValues(path string, body map[string]any, required []string, bad map[string]any) []refusalCase {
	var cases []refusalCase
	for _, field := range required {
		cases = append(cases, refusalCase{name: "no " + field, path: path, body: agencyBody(body, field, nil), status: http.StatusBadRequest, says: field})
	}
	for field, value := range bad {
		cases = append(cases, refusalCase{
			name: fmt.Sprintf("%s %v", field, value), path: path, body: agencyBody(body, field, value), status: http.StatusBadRequest, says: field,
		})
	}
	return cases
}

func employeePath(id string) string { return "/v1/agency/employees/" + id }

var (
	employeeEdit        = map[string]any{"effectiveDateOfChange": "2026-12-01", "lastName": "Newly-Named", "earnings": 61200.5}
	employeeTermination = map[string]any{"dateOfTermination": "2026-12-31", "terminationReason": "job-abandonment"}
)

// The contract's words for those of the application.
var (
	employmentStatuses = map[string]agency.EmploymentStatus{
		sandbox.Active: agency.Employed, sandbox.OnLeave: agency.OnLeave, sandbox.Terminated: agency.Terminated,
	}
	earningsPeriods = map[string]agency.EarningsPeriod{
		"HR": agency.Hourly, "DY": agency.Daily, "WK": agency.Weekly, "BW": agency.Biweekly,
		"SM": agency.Semimonthly, "MO": agency.Monthly, "QT": agency.Quarterly, "YR": agency.Annually,
	}
	terminationReasons = map[string]agency.TerminationReason{
		"R1": agency.Voluntary, "R2": agency.Involuntary, "R3": agency.Layoff, "R4": agency.Retirement,
		"R5": agency.EndOfContract, "R6": agency.JobAbandoned, "R7": agency.Deceased, "R9": agency.OtherReason,
	}
	invoiceStatuses = map[string]agency.InvoiceStatus{
		"Draft": agency.InvoiceDraft, "Open": agency.InvoiceOpen, "Part paid": agency.InvoicePartiallyPaid, "Paid": agency.InvoicePaid,
		"Past due": agency.InvoiceOverdue, "Void": agency.InvoiceVoid, "In dispute": agency.InvoiceUnknown,
	}
	policyStatuses = map[string]agency.PolicyStatus{
		"Quote": agency.PolicyQuoted, "Bound": agency.PolicyPending, "In force": agency.PolicyActive,
		"Pending cancel": agency.PolicyPendingCancellation, "Cancelled": agency.PolicyCancelled, "Expired": agency.PolicyExpired,
		"Renewed": agency.PolicyRenewed, "Rewritten": agency.PolicyUnknown,
	}
)

// agencyDay writes a day as the contract does; none is nothing.
func agencyDay(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// agencyDollars reads an amount as the agency's application writes it; none is nil.
func agencyDollars(text string) *contracts.Money {
	if text == "" {
		return nil
	}
	return &contracts.Money{Amount: strings.NewReplacer("$", "", ",", "").Replace(text), Currency: "USD"}
}

// agencyEmployee is the contract's record of an employee of the application.
func agencyEmployee(e sandbox.Employee) agency.Employee {
	return agency.Employee{
		EmployeeID: e.ID, FirstName: e.FirstName, LastName: e.LastName, Status: employmentStatuses[e.Status],
		BirthDate: agencyDay(e.Born), HireDate: agencyDay(e.Hired), JobTitle: e.Position, Department: e.Department, Email: e.Email, Phone: e.Phone,
		WorkHours: &e.WeeklyHours, Salary: agencyDollars(e.Pay.String()), SalaryFrequency: earningsPeriods[e.PayPeriod],
		DateOfTermination: agencyDay(e.Left), TerminationReason: terminationReasons[e.Reason],
	}
}

func agencyInvoice(g *gateway, i sandbox.Invoice) agency.Invoice {
	g.Helper()
	want := agency.Invoice{
		InvoiceID: i.ID, InvoiceNumber: i.Number, Status: invoiceStatuses[i.Status], InsuredName: i.Insured, PolicyNumber: i.Policy, Carrier: i.Carrier,
		InvoiceDate: agencyDay(i.Issued), DueDate: agencyDay(i.Due), PaidDate: agencyDay(i.Settled),
		Total: *agencyDollars(i.Total().String()), AmountPaid: agencyDollars(i.Paid.String()), BalanceDue: agencyDollars(i.Balance().String()),
		DocumentURL: g.env.SandboxURLs[g.about()] + "/invoices/" + i.ID + "/document",
	}
	for _, l := range i.Lines {
		want.Lines = append(want.Lines, agency.InvoiceLine{Description: l.What, Amount: *agencyDollars(l.Amount.String())})
	}
	return want
}

func agencyPolicy(g *gateway, p sandbox.Policy) agency.Policy {
	g.Helper()
	iso := func(text string) string {
		t, err := time.Parse("01/02/2006", text)
		if err != nil {
			g.Error(err)
		}
		return agencyDay(t)
	}
	want := agency.Policy{
		PolicyID: p.ID, PolicyNumber: p.Number, Status: policyStatuses[p.Status], LineOfBusiness: p.Line, Carrier: p.Carrier, InsuredName: p.Insured,
		EffectiveDate: iso(p.From), ExpirationDate: iso(p.Until), Premium: agencyDollars(p.Premium), BillingType: p.Billing, Producer: p.Producer,
	}
	for _, c := range p.Coverages {
		want.Coverages = append(want.Coverages, agency.Coverage{Name: c.Name, Limit: agencyDollars(c.Limit), Deductible: agencyDollars(c.Deductible)})
	}
	return want
}

// lastTouched is the employee whom the agency's application entered or changed
// for the first time most lately, and the words of the last entry.
func lastTouched(g *gateway) (e sandbox.Employee, what string) {
	g.Helper()
	touched := stateOf[sandbox.State](g).Employees
	if len(touched) == 0 {
		g.Fatal("nobody was entered or changed")
	}
	e = touched[len(touched)-1]
	return e, e.History[0].What
}

// checkChange compares what a change of an employee has given with the record,
// and the record with what it should be.
func checkChange(effective, what string, want sandbox.Employee) func(*gateway, response) {
	return checked(func(g *gateway, change agency.EmployeeChange) {
		e, entry := lastTouched(g)
		after := agencyEmployee(e)
		expectEqual(g, agency.EmployeeChange{EmployeeID: e.ID, EffectiveDate: effective, Status: after.Status, Employee: &after}, change)
		expectEqual(g, agencyEmployee(want), after)
		if entry != what || agencyDay(e.History[0].Effective) != effective {
			g.Errorf("the history says %+v", e.History[0])
		}
	})
}

var agencyCases = []operationCase{
	{
		op: agency.GetAccount,
		check: checked(func(g *gateway, account agency.Account) {
			expectEqual(g, agency.Account{AccountID: sandbox.AccountID, AgencyName: sandbox.AgencyName}, account)
		}),
	},
	{
		op: agency.GetEmployees,
		check: checked(func(g *gateway, list agency.EmployeeList) {
			var want []agency.Employee
			for _, e := range agencySeed.Employees() {
				want = append(want, agencyEmployee(e))
			}
			expectEqual(g, want, list.Employees)
		}),
	},
	{
		op: agency.CreateEmployee, body: newcomer,
		check: checked(func(g *gateway, created agency.Employee) {
			e, _ := lastTouched(g)
			expectEqual(g, agencyEmployee(e), created)
			hours := 37.5
			expectEqual(g, agency.Employee{
				EmployeeID: fmt.Sprintf("E-%d", 2001+len(agencySeed.Employees())), FirstName: "Zsófia", LastName: `O'Leary "Zizi" Márton`, Status: agency.Employed,
				BirthDate: "1990-03-08", HireDate: "2024-09-02", WorkHours: &hours, Salary: agencyDollars("2350.25"), SalaryFrequency: agency.Semimonthly,
			}, created)
		}),
		refuses: slices.Concat(
			badEmployeeValues("", newcomer,
				[]string{"firstName", "lastName", "birthDate", "hireDate", "workHours", "currentSalary", "salaryFrequency"},
				map[string]any{"workHours": 168.5, "currentSalary": -1, "salaryFrequency": "fortnightly", "birthDate": "03/08/1990", "hireDate": "1990-03-07"}),
			[]refusalCase{
				{name: "on file already", status: http.StatusBadRequest, says: "on file already", events: rejectedEvents},
				{
					name: "on file in other letters", body: agencyBody(newcomer, "firstName", "ZSÓFIA"), status: http.StatusBadRequest,
					says: "on file already", events: rejectedEvents,
				},
				{
					name: "too young", body: agencyBody(agencyBody(newcomer, "firstName", "Pál"), "hireDate", "2001-01-01"),
					status: http.StatusBadRequest, says: "14 years", events: notAppliedEvents,
				},
			},
		),
	},
	{
		op: agency.EditEmployee, path: employeePath(promoted.ID), body: employeeEdit,
		check: func() func(*gateway, response) {
			want := promoted
			want.LastName, want.Pay = "Newly-Named", 6120050
			return checkChange("2026-12-01", "Changed: last name, pay", want)
		}(),
		refuses: slices.Concat(
			badEmployeeValues("", employeeEdit, []string{"effectiveDateOfChange"},
				map[string]any{"workHours": 169, "earnings": -0.5, "earningsPeriod": "yearly", "effectiveDateOfChange": "soon", "lastName": ""}),
			[]refusalCase{
				{name: "unknown employee", path: employeePath(noEmployee), status: http.StatusNotFound, says: "no employee", events: rejectedEvents},
				{name: "former employee", path: employeePath(gone.ID), status: http.StatusBadRequest, says: "ended", events: rejectedEvents},
				{
					name: "before the first day", path: employeePath(unharmed.ID), body: agencyBody(employeeEdit, "effectiveDateOfChange", "1980-01-01"),
					status: http.StatusBadRequest, says: "first day", events: notAppliedEvents,
				},
			},
		),
	},
	{
		op: agency.TerminateEmployee, path: employeePath(dismissed.ID), body: employeeTermination,
		check: func() func(*gateway, response) {
			want := dismissed
			want.Status, want.Left, want.Reason = sandbox.Terminated, time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC), "R6"
			return checkChange("2026-12-31", "Employment ended", want)
		}(),
		refuses: slices.Concat(
			badEmployeeValues(employeePath(unharmed.ID), employeeTermination, []string{"dateOfTermination"},
				map[string]any{"terminationReason": "quit", "dateOfTermination": "2026-02-30"}),
			[]refusalCase{
				{name: "terminated already", status: http.StatusBadRequest, says: "ended already", events: rejectedEvents},
				{name: "unknown employee", path: employeePath(noEmployee), status: http.StatusNotFound, says: "no employee", events: rejectedEvents},
				{
					name: "before the first day", path: employeePath(unharmed.ID),
					body:   agencyBody(employeeTermination, "dateOfTermination", agencyDay(unharmed.Hired.AddDate(0, 0, -1))),
					status: http.StatusBadRequest, says: "first day", events: notAppliedEvents,
				},
				{
					name: "a year that cannot be picked", path: employeePath(unharmed.ID), body: agencyBody(employeeTermination, "dateOfTermination", "2999-12-31"),
					status: http.StatusBadRequest, says: "calendar", events: rejectedEvents,
				},
			},
		),
	},
	{
		op: agency.GetInvoices,
		check: checked(func(g *gateway, list agency.InvoiceList) {
			var want []agency.Invoice
			for _, i := range agencySeed.Invoices() {
				want = append(want, agencyInvoice(g, i))
			}
			expectEqual(g, want, list.Invoices)
		}),
	},
	{
		op: agency.GetPolicies,
		check: checked(func(g *gateway, list agency.PolicyList) {
			var want []agency.Policy
			for _, p := range agencySeed.Policies() {
				want = append(want, agencyPolicy(g, p))
			}
			expectEqual(g, want, list.Policies)
		}),
	},
}
