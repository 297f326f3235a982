// Package sites_test plays the flows of the agency's sandbox site on a real
// browser at the real stand-in: what the end-to-end tests do not show.
package sites_test

import (
	"encoding/json"
	"maps"
	"os"
	"testing"
	"time"

	contracts "integration.gateway/contracts/agency"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/agency/sandbox"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// clerk is Jane at an application of her own, and the browser that the flows
// are played in.
type clerk struct {
	*sandbox.Site
	*flowtest.Player
	t *testing.T
}

// TestFlows shares one browser. Each group of its tests has a context and an
// application of its own, in which they come one after the other, each where the
// last one has left the user.
func TestFlows(t *testing.T) {
	t.Parallel()
	pool, folder := flowtest.OpenPool(t), os.DirFS("sandbox")
	load := func(timeout string) *flow.Site {
		return flowtest.LoadSite(t, folder, timeout, contracts.Operations...)
	}
	for name, group := range map[string]struct {
		site  *flow.Site // impatient where a step waits in vain
		tests []test
	}{
		"in doubt": {load(flowtest.Impatient), []test{
			{"an entry in doubt is reconciled", entryInDoubt},
			{"a change in doubt is reconciled", changeInDoubt},
			{"a termination in doubt is reconciled", terminationInDoubt},
		}},
		"for certain": {load(flowtest.Patient), []test{
			{"every earnings period can be set", earningsPeriods},
			{"odd identifiers are not found", oddIdentifiers},
			{"signed out in the middle signs in once", signedOut},
			{"policies that do not come are told", noPolicies},
			{"a sign-out while policies come signs in again", signedOutByScript},
			{"every reason can be chosen", terminationReasons},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := sandbox.New()
			c := &clerk{Site: app, Player: flowtest.Visit(t, pool, group.site, app, sandbox.Jane.Username, sandbox.Jane.Password)}
			for _, test := range group.tests {
				t.Run(test.name, func(t *testing.T) {
					c.t = t
					test.run(c)
				})
			}
		})
	}
}

// test is one of a group.
type test struct {
	name string
	run  func(*clerk)
}

// lose plays an operation whose answer to a POST is lost.
func (c *clerk) lose(operation string, request map[string]any, path string, when kit.When) *flowtest.Attempt {
	c.t.Helper()
	c.SetFaults(kit.Losing("POST", path, when))
	a := c.InDoubt(c.t, operation, request)
	c.SetFaults(kit.Faults{})
	return a
}

// settles asks the reconcile flow, and returns its evidence.
func (c *clerk) settles(a *flowtest.Attempt, applied bool) json.RawMessage {
	c.t.Helper()
	verdict := c.Reconcile(c.t, a)
	if verdict.Applied != applied {
		c.t.Fatalf("%s: applied %v, want %v", a.Operation, verdict.Applied, applied)
	}
	return verdict.Evidence
}

func newcomer(other map[string]any) map[string]any {
	request := map[string]any{
		"firstName": "Maria", "lastName": "Lindqvist", "birthDate": "1990-03-08", "hireDate": "2024-09-02",
		"workHours": 37.5, "currentSalary": 58500, "salaryFrequency": "annually",
	}
	maps.Copy(request, other)
	return request
}

// Somebody of the same name, and somebody of the same birth date, are on file.
// The application takes a name with spaces that do not break for the same.
func entryInDoubt(c *clerk) {
	c.Gives(c.t, "create-employee", newcomer(map[string]any{"birthDate": "1991-03-08"}))
	c.Gives(c.t, "create-employee", newcomer(map[string]any{"lastName": "Lindqvist-Roe"}))
	c.settles(c.lose("create-employee", newcomer(nil), "/hire", kit.Before), false)
	odd := newcomer(map[string]any{"firstName": "Maria\u00a0 Anna", "lastName": "Lindqvist\u00a0"})
	evidence := c.settles(c.lose("create-employee", odd, "/hire", kit.After), true)
	all := c.Employees()
	flowtest.Equal(c.t, evidence, map[string]any{
		"employeeId": all[len(all)-1].ID, "status": "active", "firstName": "Maria Anna", "lastName": "Lindqvist", "birthDate": "1990-03-08",
		"hireDate": "2024-09-02", "workHours": 37.5, "salary": map[string]any{"amount": "58500.00", "currency": "USD"}, "salaryFrequency": "annually",
	})
	c.Refuses(c.t, "create-employee", newcomer(map[string]any{"firstName": "maria anna"}), flow.Rejected,
		"an employee of this name and birth date is on file already")
}

// The same change was made before, so that the record shows its values already.
func changeInDoubt(c *clerk) {
	id := c.Employees()[0].ID
	change := map[string]any{"employeeId": id, "effectiveDateOfChange": "2026-12-01", "earnings": 61200, "workHours": 0}
	path := "/employees/" + id + "/edit"
	c.Gives(c.t, "edit-employee", change)
	c.settles(c.lose("edit-employee", change, path, kit.Before), false)
	change["effectiveDateOfChange"] = "2027-02-28"
	a := c.lose("edit-employee", change, path, kit.After)
	c.Gives(c.t, "edit-employee", map[string]any{"employeeId": id, "effectiveDateOfChange": "2027-03-01", "workHours": 40})
	c.changed(c.settles(a, true), "2027-02-28", contracts.Employed)
}

// changed compares what a change gives with the record of the first employee.
func (c *clerk) changed(raw json.RawMessage, effective string, status contracts.EmploymentStatus) {
	c.t.Helper()
	var change contracts.EmployeeChange
	if err := json.Unmarshal(raw, &change); err != nil {
		c.t.Fatal(err)
	}
	e := c.Employees()[0]
	got := change.Employee
	if change.EmployeeID != e.ID || change.EffectiveDate != effective || change.Status != status || got == nil {
		c.t.Fatalf("got %s", raw)
	}
	if got.LastName != e.LastName || *got.WorkHours != e.WeeklyHours || got.BirthDate != e.Born.Format(time.DateOnly) || got.Status != status {
		c.t.Errorf("got %+v, want %+v", *got, e)
	}
}

func terminationInDoubt(c *clerk) {
	id := c.Employees()[0].ID
	end := map[string]any{"employeeId": id, "dateOfTermination": "2026-12-31", "terminationReason": "retirement"}
	path := "/employees/" + id + "/termination"
	c.settles(c.lose("terminate-employee", end, path, kit.Before), false)
	c.changed(c.settles(c.lose("terminate-employee", end, path, kit.After), true), "2026-12-31", contracts.Terminated)
	if got := c.Employees()[0].Reason; got != "R4" {
		c.t.Errorf("the reason is %s, want R4", got)
	}
}

func earningsPeriods(c *clerk) {
	id := c.Employees()[0].ID
	for period, code := range map[string]string{
		"hourly": "HR", "daily": "DY", "weekly": "WK", "biweekly": "BW", "semimonthly": "SM", "monthly": "MO", "quarterly": "QT", "annually": "YR",
	} {
		c.Gives(c.t, "edit-employee", map[string]any{"employeeId": id, "effectiveDateOfChange": "2028-02-29", "earningsPeriod": period})
		if got := c.Employees()[0].PayPeriod; got != code {
			c.t.Errorf("%s is %s, want %s", period, got, code)
		}
	}
}

// Retirement is the reason of the termination in doubt.
func terminationReasons(c *clerk) {
	at := 0
	for reason, code := range map[string]string{
		"": "", "voluntary": "R1", "involuntary": "R2", "layoff": "R3",
		"end-of-contract": "R5", "job-abandonment": "R6", "deceased": "R7", "other": "R9",
	} {
		request := map[string]any{"employeeId": c.Employees()[at].ID, "dateOfTermination": "2028-02-29"}
		if reason != "" {
			request["terminationReason"] = reason
		}
		c.Gives(c.t, "terminate-employee", request)
		if got := c.Employees()[at].Reason; got != code {
			c.t.Errorf("%s is %s, want %s", reason, got, code)
		}
		at++
	}
}

func oddIdentifiers(c *clerk) {
	for _, id := range []string{"new", "a/b", `"><b>`, "E-2001 ", "?show=everyone", "é"} {
		c.Refuses(c.t, "terminate-employee", map[string]any{"employeeId": id, "dateOfTermination": "2026-12-31"}, flow.NotFound,
			"There is no employee with this number.")
	}
}

// The session ends before the form to change somebody.
func signedOut(c *clerk) {
	id := c.Employees()[0].ID
	c.Gives(c.t, "get-account", nil) // proves the sign-in
	signIns, before := c.SignIns, c.State().Effects["edit-employee"]
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/employees/" + id + "/edit", Times: 1}}})
	c.Gives(c.t, "edit-employee", map[string]any{"employeeId": id, "effectiveDateOfChange": "2026-12-01", "lastName": "Newly-Named"})
	if n, edits := c.SignIns-signIns, c.State().Effects["edit-employee"]-before; n != 1 || edits != 1 {
		c.t.Errorf("signed in %d times, %d edits; want once more, 1", n, edits)
	}
}

func noPolicies(c *clerk) {
	c.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Path: "/policies/rows", Skip: 2}, Status: 500}}})
	c.Refuses(c.t, "get-policies", nil, flow.Unavailable, "The policies could not be loaded. Try again later.")
	c.SetFaults(kit.Faults{})
}

func signedOutByScript(c *clerk) {
	c.Gives(c.t, "get-account", nil) // proves the sign-in
	before := c.SignIns
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/policies/rows", Skip: 2, Times: 1}}})
	var list contracts.PolicyList
	if err := json.Unmarshal(c.Gives(c.t, "get-policies", nil), &list); err != nil || len(list.Policies) != len(c.Policies()) || c.SignIns-before != 1 {
		c.t.Errorf("%v, %d policies, signed in %d times", err, len(list.Policies), c.SignIns-before)
	}
}
