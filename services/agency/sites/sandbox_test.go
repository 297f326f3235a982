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

// TestFlows shares one browser; each of its tests has a context and an
// application of its own.
func TestFlows(t *testing.T) {
	t.Parallel()
	pool, folder := flowtest.OpenPool(t), os.DirFS("sandbox")
	load := func(timeout string) *flow.Site {
		return flowtest.LoadSite(t, folder, timeout, contracts.Operations...)
	}
	patient, impatient := load(flowtest.Patient), load(flowtest.Impatient)
	for name, test := range map[string]struct {
		run  func(*clerk)
		site *flow.Site // impatient where a step waits in vain
	}{
		"an entry in doubt is reconciled":               {entryInDoubt, impatient},
		"a name is the same with other spaces":          {otherSpaces, impatient},
		"a change in doubt is reconciled":               {changeInDoubt, impatient},
		"a termination in doubt is reconciled":          {terminationInDoubt, impatient},
		"every earnings period can be set":              {earningsPeriods, patient},
		"every reason can be chosen":                    {terminationReasons, patient},
		"odd identifiers are not found":                 {oddIdentifiers, patient},
		"signed out in the middle signs in once":        {signedOut, patient},
		"policies that do not come are told":            {noPolicies, patient},
		"a sign-out while policies come signs in again": {signedOutByScript, patient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := sandbox.New()
			player := flowtest.Visit(t, pool, test.site, app, sandbox.Jane.Username, sandbox.Jane.Password)
			test.run(&clerk{Site: app, Player: player, t: t})
		})
	}
}

// lose plays an operation whose answer to a POST is lost.
func (c *clerk) lose(operation string, request map[string]any, path string, when kit.When) *flowtest.Attempt {
	c.t.Helper()
	c.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Method: "POST", Path: path, When: when}, Status: 502}}})
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
func entryInDoubt(c *clerk) {
	c.Gives(c.t, "create-employee", newcomer(map[string]any{"birthDate": "1991-03-08"}))
	c.Gives(c.t, "create-employee", newcomer(map[string]any{"lastName": "Lindqvist-Roe"}))
	c.settles(c.lose("create-employee", newcomer(nil), "/hire", kit.Before), false)
	evidence := c.settles(c.lose("create-employee", newcomer(nil), "/hire", kit.After), true)
	flowtest.Equal(c.t, evidence, map[string]any{
		"employeeId": c.Employees()[62].ID, "status": "active", "firstName": "Maria", "lastName": "Lindqvist", "birthDate": "1990-03-08",
		"hireDate": "2024-09-02", "workHours": 37.5, "salary": map[string]any{"amount": "58500.00", "currency": "USD"}, "salaryFrequency": "annually",
	})
}

// The application takes a name with spaces that do not break for the same.
func otherSpaces(c *clerk) {
	odd := newcomer(map[string]any{"firstName": "Maria\u00a0 Anna", "lastName": "Lindqvist\u00a0"})
	c.settles(c.lose("create-employee", odd, "/hire", kit.Before), false)
	c.settles(c.lose("create-employee", odd, "/hire", kit.After), true)
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

func terminationReasons(c *clerk) {
	at := 0
	for reason, code := range map[string]string{
		"": "", "voluntary": "R1", "involuntary": "R2", "layoff": "R3", "retirement": "R4",
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
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/employees/" + id + "/edit", Times: 1}}})
	c.Gives(c.t, "edit-employee", map[string]any{"employeeId": id, "effectiveDateOfChange": "2026-12-01", "lastName": "Newly-Named"})
	if state := c.State(); c.SignIns != 2 || state.Effects["edit-employee"] != 1 {
		c.t.Errorf("%d sign-ins, effects %v", c.SignIns, state.Effects)
	}
}

func noPolicies(c *clerk) {
	c.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Path: "/policies/rows", Skip: 2}, Status: 500}}})
	c.Refuses(c.t, "get-policies", nil, flow.Unavailable, "The policies could not be loaded. Try again later.")
}

func signedOutByScript(c *clerk) {
	c.Gives(c.t, "get-account", nil) // proves the sign-in
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/policies/rows", Skip: 2, Times: 1}}})
	var list contracts.PolicyList
	if err := json.Unmarshal(c.Gives(c.t, "get-policies", nil), &list); err != nil || len(list.Policies) != len(c.Policies()) || c.SignIns != 2 {
		c.t.Errorf("%v, %d policies, %d sign-ins", err, len(list.Policies), c.SignIns)
	}
}
