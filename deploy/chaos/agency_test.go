package chaos_test

import (
	"fmt"
	"slices"

	"integration.gateway/contracts/agency"
	"integration.gateway/services/agency/sandbox"
)

// newAgency opens the agency's application. Some of its employees are edited,
// the others are dismissed.
func newAgency() *application {
	const edited = 20
	site := sandbox.New()
	staff := slices.DeleteFunc(site.Employees(), func(e sandbox.Employee) bool { return e.Status == sandbox.Terminated })
	path := func(e sandbox.Employee) string { return "/v1/agency/employees/" + e.ID }

	create := &operation{Info: agency.CreateEmployee.Info(), opens: "GET /hire", sends: "POST /hire"}
	create.wish = func(n int) wish {
		return wish{mark: numbered(n), body: agency.NewEmployee{
			FirstName: "Zoe", LastName: numbered(n), BirthDate: "1990-03-08", HireDate: "2024-09-02",
			WorkHours: 40, CurrentSalary: 2350, SalaryFrequency: agency.Monthly,
		}}
	}
	edit := &operation{
		Info: agency.EditEmployee.Info(), opens: "GET /employees/{id}/edit", sends: "POST /employees/{id}/edit",
	}
	edit.wish = func(n int) wish {
		e := staff[n%edited]
		return wish{mark: e.ID, path: path(e), body: agency.EmployeeEdit{
			EffectiveDateOfChange: "2026-12-01", LastName: numbered(n),
		}}
	}
	terminate := &operation{
		Info: agency.TerminateEmployee.Info(), opens: "GET /employees/{id}", sends: "POST /employees/{id}/termination",
	}
	terminate.wish = func(n int) wish {
		e := staff[edited+n%(len(staff)-edited)]
		return wish{mark: e.ID, path: path(e), body: agency.Termination{
			DateOfTermination: "2026-12-31", TerminationReason: agency.Voluntary,
		}}
	}
	read := &operation{Info: agency.GetAccount.Info(), wish: nothing}

	operations := []*operation{create, create, create, edit, edit, edit, terminate, terminate, terminate, read}
	return &application{
		name: "agency", site: site, read: read,
		lanes: []lane{{sandbox.Jane, operations}, {sandbox.Amir, operations}, {sandbox.Jane, operations}},
		changes: func() (all []change) {
			for _, e := range site.State().Employees {
				for _, entry := range e.History {
					c := change{operation: edit.Name, about: fmt.Sprintf("%s, entry %s", e.ID, entry.Number)}
					switch entry.What {
					case "Entered":
						c = change{operation: create.Name, about: e.LastName, id: e.ID}
					case "Employment ended":
						c.operation = terminate.Name
					}
					all = append(all, c)
				}
			}
			return all
		},
	}
}
