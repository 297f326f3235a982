// Package sites_test plays the flows of the clinic-records integration's
// sandbox site on a real browser at the real stand-in.
package sites_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	contracts "integration.gateway/contracts/clinicrecords"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/clinicrecords/sandbox"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// desk is a user of an application of its own.
type desk struct {
	*sandbox.Site
	*flowtest.Player
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
			{"a lost request is told from others like it", lostRequest},
			{"a lost answer is found", lostAnswer},
		}},
		"for certain": {load(flowtest.Patient), []test{
			{"a time that is taken at the last moment", takenMeanwhile},
			{"signed out in the middle of the form", signedOut},
			{"odd input arrives as it is", oddInput},
			{"a page of the application that has no data", pageWithoutData},
			{"a start that is on another day elsewhere", acrossTheDateLine},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := sitDown(t, pool, group.site)
			for _, test := range group.tests {
				t.Run(test.name, func(t *testing.T) { test.run(t, d) })
			}
		})
	}
}

// test is one of a group.
type test struct {
	name string
	run  func(*testing.T, desk)
}

func sitDown(t *testing.T, pool *browser.Pool, site *flow.Site) desk {
	t.Helper()
	app := sandbox.New()
	return desk{Site: app, Player: flowtest.Visit(t, pool, site, app, sandbox.Jane.Username, sandbox.Jane.Password)}
}

const (
	pike        = 10 // a provider in Denver
	client      = sandbox.FirstClient
	otherClient = sandbox.FirstClient + 1
)

// free are the free times of Dr. Pike on a day in a week or later.
func (d desk) free(t *testing.T, by sandbox.Modality, service int64) []sandbox.Slot {
	t.Helper()
	slots := d.FreeSlots(pike, sandbox.Foothills, by, []int64{service}, time.Now().AddDate(0, 0, 7), 12)
	if len(slots) == 0 {
		t.Fatal("nothing is free")
	}
	return slots
}

// request asks for a treatment of half an hour.
func request(start time.Time) map[string]any {
	return map[string]any{
		"clientId": client, "clinicId": sandbox.Foothills, "providerId": pike, "serviceIds": []any{json.Number("301")}, "modality": "in-person",
		"startTime": start.Format(time.RFC3339),
	}
}

func lostAnswer(t *testing.T, d desk) {
	before := len(d.State().Booked)
	d.SetFaults(kit.Losing("POST", "/api/appointments", kit.After))
	wanted := request(d.free(t, sandbox.InPerson, 301)[0].Start)
	wanted["notes"] = "Window seat."
	a := d.InDoubt(t, "create-appointment", wanted)
	d.SetFaults(kit.Faults{})
	verdict := d.Reconcile(t, a)
	var found contracts.Appointment
	if err := json.Unmarshal(verdict.Evidence, &found); err != nil || !verdict.Applied {
		t.Fatalf("applied %v, evidence %s", verdict.Applied, verdict.Evidence)
	}
	booked := d.State().Booked[before:]
	if len(booked) != 1 || found.AppointmentID != booked[0].ID || found.Notes != "Window seat." || len(found.Services) != 1 || !found.StartTime.Equal(booked[0].Start) {
		t.Errorf("evidence %+v, booked %+v", found, booked)
	}
}

// The client had an appointment at this very time before, and called it off;
// and is given one with the same provider at another time since.
func lostRequest(t *testing.T, d desk) {
	slots := d.free(t, sandbox.InPerson, 301)
	like := sandbox.Wanted{Client: client, Clinic: sandbox.Foothills, Provider: pike, Modality: sandbox.InPerson, Services: []int64{301}, Start: slots[0].Start}
	before, ok := d.Book(like)
	if !ok || !d.Cancel(before.ID) {
		t.Fatal("the older one cannot be made")
	}
	d.SetFaults(kit.Losing("POST", "/api/appointments", kit.Before))
	a := d.InDoubt(t, "create-appointment", request(slots[0].Start))
	d.SetFaults(kit.Faults{})
	like.Start = slots[len(slots)-1].Start
	if _, ok := d.Book(like); !ok {
		t.Fatal("the newer one cannot be made")
	}
	if verdict := d.Reconcile(t, a); verdict.Applied {
		t.Errorf("applied, by %s", verdict.Evidence)
	}
}

func takenMeanwhile(t *testing.T, d desk) {
	before := len(d.State().Booked)
	start := d.free(t, sandbox.InPerson, 301)[0].Start
	a := d.Attempt("create-appointment", request(start))
	a.BeforeAct = func() {
		d.Book(sandbox.Wanted{Client: otherClient, Clinic: sandbox.Foothills, Provider: pike, Modality: sandbox.InPerson, Services: []int64{301}, Start: start})
	}
	_, failure := d.Play(t, a)
	if failure == nil || !failure.Refusal() || !failure.EffectStarted || failure.Outcome != flow.Rejected || failure.Message != "That time is no longer free." {
		t.Errorf("got %+v", failure)
	}
	if booked := d.State().Booked[before:]; len(booked) != 1 || booked[0].Client != otherClient {
		t.Errorf("booked %+v", booked)
	}
}

// The session ends while the form is filled in, and before the list is read.
func signedOut(t *testing.T, d desk) {
	d.Gives(t, "get-account", nil) // proves the sign-in
	before, signIns := len(d.State().Booked), d.SignIns
	d.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/api/services", Times: 1}, {Path: "/api/inventory", Times: 1}}})
	d.Gives(t, "create-appointment", request(d.free(t, sandbox.InPerson, 301)[0].Start))
	d.Gives(t, "get-product-inventory", nil)
	if booked, n := d.State().Booked[before:], d.SignIns-signIns; len(booked) != 1 || n != 2 {
		t.Errorf("booked %+v, signed in %d times; want one, twice more", booked, n)
	}
}

func oddInput(t *testing.T, d desk) {
	notes := "Line one\nline \"two\" {{ baseUrl }} '); DROP <script>alert(1)</script> ünï"
	wanted := request(d.free(t, sandbox.Video, 401)[0].Start)
	wanted["serviceIds"], wanted["modality"], wanted["duration"], wanted["notes"] = []any{json.Number("401"), json.Number("403")}, "virtual", json.Number("25"), notes
	var a contracts.Appointment
	if err := json.Unmarshal(d.Gives(t, "create-appointment", wanted), &a); err != nil {
		t.Fatal(err)
	}
	state := d.State()
	booked := state.Booked[len(state.Booked)-1]
	if booked.Minutes != 25 || booked.Notes != notes || booked.Modality != sandbox.Video || len(booked.Services) != 2 || len(state.Told) != 0 {
		t.Errorf("booked %+v, told %v", booked, state.Told)
	}
	if a.Modality != contracts.Virtual || a.RoomName != "" || a.DurationMinutes != 25 {
		t.Errorf("got %+v", a)
	}
}

func pageWithoutData(t *testing.T, d desk) {
	d.SetFaults(kit.Faults{Failing: []kit.Failing{
		{Rule: kit.Rule{Path: "/api/clinics"}, Status: 503}, {Rule: kit.Rule{Path: "/api/products/*"}, Status: 503},
	}})
	const message = "Veranda does not answer at present. Try again in a minute."
	d.Refuses(t, "get-product", map[string]any{"productId": sandbox.FirstProduct}, flow.Unavailable, message)
	d.Refuses(t, "get-clinics", nil, flow.Unavailable, message)
	d.SetFaults(kit.Faults{})
}

// The last time of the day in Denver is on the next day in Tokyo.
func acrossTheDateLine(t *testing.T, d desk) {
	slots := d.free(t, sandbox.InPerson, 301)
	start := slots[len(slots)-1].Start
	var a contracts.Appointment
	if err := json.Unmarshal(d.Gives(t, "create-appointment", request(start.In(time.FixedZone("", 9*60*60)))), &a); err != nil {
		t.Fatal(err)
	}
	if !a.StartTime.Equal(start) || !strings.HasSuffix(a.StartTime.Format(time.RFC3339), start.Format("-07:00")) {
		t.Errorf("starts %s, want %s", a.StartTime, start)
	}
}
