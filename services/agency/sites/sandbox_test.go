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
	"integration.gateway/pkg/browser"
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
}

// TestFlows shares one browser. Each group of its tests has a context and an
// application of its own, in which they come one after the other, each where the
// last one has left the user.
func TestFlows(t *testing.T) {
	t.Parallel()
	pool := flowtest.OpenPool(t)
	t.Run("in doubt", func(t *testing.T) {
		t.Parallel()
		c := visit(t, pool, flowtest.Impatient)
		t.Run("an entry in doubt is reconciled", c.entryInDoubt)
		t.Run("a change in doubt is reconciled", c.changeInDoubt)
		t.Run("a termination in doubt is reconciled", c.terminationInDoubt)
	})
	t.Run("for certain", func(t *testing.T) {
		t.Parallel()
		c := visit(t, pool, flowtest.Patient)
		t.Run("every earnings period can be set", c.earningsPeriods)
		t.Run("odd identifiers are not found", c.oddIdentifiers)
		t.Run("signed out in the middle signs in once", c.signedOut)
		t.Run("policies that do not come are told", c.noPolicies)
		t.Run("a sign-out while policies come signs in again", c.signedOutByScript)
		t.Run("every reason can be chosen", c.terminationReasons)
	})
}

// visit gives Jane an application of her own. A step of the flows waits so long there.
func visit(t *testing.T, pool *browser.Pool, timeout string) clerk {
	t.Helper()
	site := flowtest.LoadSite(t, os.DirFS("sandbox"), timeout, contracts.Operations...)
	app := sandbox.New()
	return clerk{app, flowtest.Visit(t, pool, site, app, sandbox.Jane.Username, sandbox.Jane.Password)}
}

// lose plays an operation whose answer to a POST is lost.
func (c clerk) lose(t *testing.T, operation string, request map[string]any, path string, when kit.When) *flowtest.Attempt {
	t.Helper()
	c.SetFaults(kit.Losing("POST", path, when))
	a := c.InDoubt(t, operation, request)
	c.SetFaults(kit.Faults{})
	return a
}

// settles asks the reconcile flow, and returns its evidence.
func (c clerk) settles(t *testing.T, a *flowtest.Attempt, applied bool) json.RawMessage {
	t.Helper()
	verdict := c.Reconcile(t, a)
	if verdict.Applied != applied {
		t.Fatalf("%s: applied %v, want %v", a.Operation, verdict.Applied, applied)
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
func (c clerk) entryInDoubt(t *testing.T) {
	c.Gives(t, "create-employee", newcomer(map[string]any{"birthDate": "1991-03-08"}))
	c.Gives(t, "create-employee", newcomer(map[string]any{"lastName": "Lindqvist-Roe"}))
	c.settles(t, c.lose(t, "create-employee", newcomer(nil), "/hire", kit.Before), false)
	odd := newcomer(map[string]any{"firstName": "Maria\u00a0 Anna", "lastName": "Lindqvist\u00a0"})
	evidence := c.settles(t, c.lose(t, "create-employee", odd, "/hire", kit.After), true)
	all := c.Employees()
	flowtest.Equal(t, evidence, map[string]any{
		"employeeId": all[len(all)-1].ID, "status": "active", "firstName": "Maria Anna", "lastName": "Lindqvist", "birthDate": "1990-03-08",
		"hireDate": "2024-09-02", "workHours": 37.5, "salary": map[string]any{"amount": "58500.00", "currency": "USD"}, "salaryFrequency": "annually",
	})
	c.Refuses(t, "create-employee", newcomer(map[string]any{"firstName": "maria anna"}), flow.Rejected,
		"an employee of this name and birth date is on file already")
}

// The same change was made before, so that the record shows its values already.
func (c clerk) changeInDoubt(t *testing.T) {
	id := c.Employees()[0].ID
	change := map[string]any{"employeeId": id, "effectiveDateOfChange": "2026-12-01", "earnings": 61200, "workHours": 0}
	path := "/employees/" + id + "/edit"
	c.Gives(t, "edit-employee", change)
	c.settles(t, c.lose(t, "edit-employee", change, path, kit.Before), false)
	change["effectiveDateOfChange"] = "2027-02-28"
	a := c.lose(t, "edit-employee", change, path, kit.After)
	c.Gives(t, "edit-employee", map[string]any{"employeeId": id, "effectiveDateOfChange": "2027-03-01", "workHours": 40})
	c.changed(t, c.settles(t, a, true), "2027-02-28", contracts.Employed)
}

// changed compares what a change gives with the record of the first employee.
func (c clerk) changed(t *testing.T, raw json.RawMessage, effective string, status contracts.EmploymentStatus) {
	t.Helper()
	var change contracts.EmployeeChange
	if err := json.Unmarshal(raw, &change); err != nil {
		t.Fatal(err)
	}
	e := c.Employees()[0]
	got := change.Employee
	if change.EmployeeID != e.ID || change.EffectiveDate != effective || change.Status != status || got == nil {
		t.Fatalf("got %s", raw)
	}
	if got.LastName != e.LastName || *got.WorkHours != e.WeeklyHours || got.BirthDate != e.Born.Format(time.DateOnly) || got.Status != status {
		t.Errorf("got %+v, want %+v", *got, e)
	}
}

func (c clerk) terminationInDoubt(t *testing.T) {
	id := c.Employees()[0].ID
	end := map[string]any{"employeeId": id, "dateOfTermination": "2026-12-31", "terminationReason": "retirement"}
	path := "/employees/" + id + "/termination"
	c.settles(t, c.lose(t, "terminate-employee", end, path, kit.Before), false)
	c.changed(t, c.settles(t, c.lose(t, "terminate-employee", end, path, kit.After), true), "2026-12-31", contracts.Terminated)
	if got := c.Employees()[0].Reason; got != "R4" {
		t.Errorf("the reason is %s, want R4", got)
	}
}

func (c clerk) earningsPeriods(t *testing.T) {
	id := c.Employees()[0].ID
	for period, code := range map[string]string{
		"hourly": "HR", "daily": "DY", "weekly": "WK", "biweekly": "BW", "semimonthly": "SM", "monthly": "MO", "quarterly": "QT", "annually": "YR",
	} {
		c.Gives(t, "edit-employee", map[string]any{"employeeId": id, "effectiveDateOfChange": "2028-02-29", "earningsPeriod": period})
		if got := c.Employees()[0].PayPeriod; got != code {
			t.Errorf("%s is %s, want %s", period, got, code)
		}
	}
}

// Retirement is the reason of the termination in doubt.
func (c clerk) terminationReasons(t *testing.T) {
	at := 0
	for reason, code := range map[string]string{
		"": "", "voluntary": "R1", "involuntary": "R2", "layoff": "R3",
		"end-of-contract": "R5", "job-abandonment": "R6", "deceased": "R7", "other": "R9",
	} {
		request := map[string]any{"employeeId": c.Employees()[at].ID, "dateOfTermination": "2028-02-29"}
		if reason != "" {
			request["terminationReason"] = reason
		}
		c.Gives(t, "terminate-employee", request)
		if got := c.Employees()[at].Reason; got != code {
			t.Errorf("%s is %s, want %s", reason, got, code)
		}
		at++
	}
}

func (c clerk) oddIdentifiers(t *testing.T) {
	for _, id := range []string{"new", "a/b", `"><b>`, "E-2001 ", "?show=everyone", "é"} {
		c.Refuses(t, "terminate-employee", map[string]any{"employeeId": id, "dateOfTermination": "2026-12-31"}, flow.NotFound,
			"There is no employee with this number.")
	}
}

// The session ends before the form to change somebody.
func (c clerk) signedOut(t *testing.T) {
	id := c.Employees()[0].ID
	c.Gives(t, "get-account", nil) // proves the sign-in
	signIns, before := c.SignIns, c.State().Effects["edit-employee"]
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/employees/" + id + "/edit", Times: 1}}})
	c.Gives(t, "edit-employee", map[string]any{"employeeId": id, "effectiveDateOfChange": "2026-12-01", "lastName": "Newly-Named"})
	if n, edits := c.SignIns-signIns, c.State().Effects["edit-employee"]-before; n != 1 || edits != 1 {
		t.Errorf("signed in %d times, %d edits; want once more, 1", n, edits)
	}
}

func (c clerk) noPolicies(t *testing.T) {
	c.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Path: "/policies/rows", Skip: 2}, Status: 500}}})
	c.Refuses(t, "get-policies", nil, flow.Unavailable, "The policies could not be loaded. Try again later.")
	c.SetFaults(kit.Faults{})
}

func (c clerk) signedOutByScript(t *testing.T) {
	c.Gives(t, "get-account", nil) // proves the sign-in
	before := c.SignIns
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/policies/rows", Skip: 2, Times: 1}}})
	var list contracts.PolicyList
	err := json.Unmarshal(c.Gives(t, "get-policies", nil), &list)
	if err != nil || len(list.Policies) != len(c.Policies()) || c.SignIns-before != 1 {
		t.Errorf("%v, %d policies, signed in %d times", err, len(list.Policies), c.SignIns-before)
	}
}
