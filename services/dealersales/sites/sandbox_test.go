// Package sites_test plays the flows of the dealer-sales sandbox site on a real
// browser at the real stand-in: what the catalogue's cases do not show.
package sites_test

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	contracts "integration.gateway/contracts/dealersales"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/dealersales/sandbox"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// effect is an operation that can be in doubt.
type effect struct {
	operation string
	path      string         // that its form is sent to
	request   map[string]any // what the application takes twice
	second    map[string]any // what must be different for that the second time
	newest    func(sandbox.State) (id string, n int)
	id        string // the evidence's field that names the record
}

// secondHour is in the hour that comes a second time when the clocks of Chicago
// are put back.
const secondHour = "2024-11-03T01:30:30.5-06:00"

var effects = []effect{
	{
		operation: "create-customer", path: "/customers", id: "customerId",
		request: map[string]any{"dealerId": "D-014", "firstName": "Dana", "lastName": "O'Whit  \"Field\""},
		newest:  func(s sandbox.State) (string, int) { return s.Customers[len(s.Customers)-1].ID, len(s.Customers) },
	},
	{
		operation: "create-lead", path: "/leads", id: "leadId",
		request: map[string]any{
			"customerId": "C-88012", "dealerId": "D-014", "leadSourceId": "LS-8", "leadTypeId": "LT-2", "assignedUserId": "U-205", "comments": "One\ntwo",
		},
		newest: func(s sandbox.State) (string, int) { return s.Leads[len(s.Leads)-1].ID, len(s.Leads) },
	},
	{
		operation: "create-call", path: "/customers/C-88012/calls", id: "callId",
		request: map[string]any{
			"customerId": "C-88012", "dealerId": "D-014", "direction": "outbound", "outcome": "left-voicemail", "startTime": secondHour,
			"durationSeconds": 0, "notes": "Told\nall  that \"is\" to tell",
		},
		newest: func(s sandbox.State) (string, int) { return s.Calls[len(s.Calls)-1].ID, len(s.Calls) },
	},
	{
		operation: "create-sales-appointment", path: "/calendar/frame", id: "appointmentId",
		request: map[string]any{
			"leadId": "L-330871", "customerId": "C-88012", "dealerId": "D-014", "assignedUserId": "U-205", "description": "Test drive\nof two",
			"startDate": "5/6/2024 10:00 AM", "endDate": "5/6/2024 11:00 AM",
		},
		second: map[string]any{"startDate": "5/6/2024 1:00 PM", "endDate": "5/6/2024 2:00 PM"},
		newest: func(s sandbox.State) (string, int) {
			return s.Appointments[len(s.Appointments)-1].ID, len(s.Appointments)
		},
	},
}

// seller is Jane at an application of her own, and the browser that the flows
// are played in.
type seller struct {
	*sandbox.Site
	*flowtest.Player
}

// TestFlows shares one browser, and an application between the effects in doubt:
// each makes records of its own kind.
func TestFlows(t *testing.T) {
	t.Parallel()
	pool := flowtest.OpenPool(t)
	site := flowtest.LoadSite(t, os.DirFS("sandbox"), flowtest.Patient, contracts.Operations...)
	t.Run("in doubt", func(t *testing.T) {
		t.Parallel()
		s := visit(t, pool, site)
		for _, e := range effects {
			t.Run(e.operation, func(t *testing.T) { s.inDoubt(t, e) })
		}
	})
	t.Run("appointments", func(t *testing.T) {
		t.Parallel()
		s := visit(t, pool, site)
		t.Run("signed out in the middle", s.signedOut)
		t.Run("times in doubt", s.timesInDoubt)
	})
}

// visit gives Jane an application of her own.
func visit(t *testing.T, pool *browser.Pool, site *flow.Site) seller {
	t.Helper()
	app := sandbox.New()
	return seller{app, flowtest.Visit(t, pool, site, app, sandbox.Jane.Username, sandbox.Jane.Password)}
}

// inDoubt does the same three times. The first time all goes well, which the
// reconcile flow must not take for the second, whose request is lost; the
// answer to the third is.
func (s seller) inDoubt(t *testing.T, e effect) {
	s.Gives(t, e.operation, e.request)
	request := maps.Clone(e.request)
	maps.Copy(request, e.second)

	lost := s.playInVain(t, e, request, kit.Before)
	if s.Reconcile(t, lost).Applied {
		t.Error("the request was lost, and an older look-alike is taken for it")
	}

	done := s.playInVain(t, e, request, kit.After)
	verdict := s.Reconcile(t, done)
	var evidence map[string]any
	if err := json.Unmarshal(verdict.Evidence, &evidence); err != nil && verdict.Applied {
		t.Fatal(err)
	}
	if id, n := e.newest(s.State()); !verdict.Applied || evidence[e.id] != id || n != 2 {
		t.Errorf("applied %v, evidence %s; want %s, the last of 2 (there are %d)", verdict.Applied, verdict.Evidence, id, n)
	}
}

// playInVain plays the operation while the application answers an error to what
// it sends.
func (s seller) playInVain(t *testing.T, e effect, request map[string]any, when kit.When) *flowtest.Attempt {
	t.Helper()
	s.SetFaults(kit.Losing("POST", e.path, when))
	a := s.InDoubt(t, e.operation, request)
	s.SetFaults(kit.Faults{})
	return a
}

// timesInDoubt books at times that the application writes otherwise than they
// were typed. That nothing alike is none is shown by the effect's own test.
func (s seller) timesInDoubt(t *testing.T) {
	e := effects[3]
	for _, c := range []struct {
		start, end string
		lost       kit.When
		since      bool // another such appointment was made since
		applied    bool
		unclear    bool
	}{
		{start: "2024-05-06T10:00:00.250", end: "2024-05-06T11:00", lost: kit.After, applied: true},
		{start: "2024-05-07T10:00:30.5-05:00", end: "2024-05-07T11:00", lost: kit.After, applied: true},
		{start: "2024-03-10T02:30", end: "2024-03-10T05:00", lost: kit.After, unclear: true}, // there is no such time
		{start: "2024-05-08T10:00:00-05:00", end: "2024-05-08T11:00", lost: kit.Before, since: true},
		{start: "2024-05-09T10:00:00", end: "2024-05-09T11:00", lost: kit.Before, since: true, unclear: true},
	} {
		request := maps.Clone(e.request)
		request["startDate"], request["endDate"] = c.start, c.end
		a := s.playInVain(t, e, request, c.lost)
		if c.since {
			other := maps.Clone(request)
			other["startDate"], other["endDate"] = c.start[:11]+"16:00", c.start[:11]+"17:00"
			s.Gives(t, e.operation, other)
		}
		verdict, _, err := s.Player.Site.Reconcile(t.Context(), s.Page.Rod(), a.Job)
		if verdict.Applied != c.applied || (err != nil) != c.unclear || err != nil && !strings.Contains(err.Error(), "alike") {
			t.Errorf("%+v: %+v, %v", c, verdict, err)
		}
	}
}

// signedOut loses the session once on a page and once in the calendar's frame.
func (s seller) signedOut(t *testing.T) {
	s.Gives(t, "get-dealers", nil)
	for operation, path := range map[string]string{"get-vehicles": "/vehicles", "create-sales-appointment": "/calendar/frame"} {
		request := map[string]any{}
		if operation == "create-sales-appointment" {
			request = maps.Clone(effects[3].request)
			request["startDate"], request["endDate"] = "5/20/2024 10:00 AM", "5/20/2024 11:00 AM" // times in doubt are of other days
		}
		before := s.SignIns
		s.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: path, Times: 1}}})
		s.Gives(t, operation, request)
		if n := s.SignIns - before; n != 1 {
			t.Errorf("%s: signed in %d times, want once more", operation, n)
		}
	}
	if n := len(s.State().Appointments); n != 1 {
		t.Errorf("%d appointments, want 1", n)
	}
}
