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
	pool := flowtest.OpenPool(t)
	t.Run("in doubt", func(t *testing.T) {
		t.Parallel()
		d := sitDown(t, pool, flowtest.Impatient)
		t.Run("a lost request is told from others like it", d.lostRequest)
		t.Run("a lost answer is found", d.lostAnswer)
	})
	t.Run("for certain", func(t *testing.T) {
		t.Parallel()
		d := sitDown(t, pool, flowtest.Patient)
		t.Run("a time that is taken at the last moment", d.takenMeanwhile)
		t.Run("signed out in the middle of the form", d.signedOut)
		t.Run("odd input arrives as it is", d.oddInput)
		t.Run("a page of the application that has no data", d.pageWithoutData)
		t.Run("a start that is on another day elsewhere", d.acrossTheDateLine)
	})
}

// sitDown gives Jane an application of her own. A step of the flows waits so long there.
func sitDown(t *testing.T, pool *browser.Pool, timeout string) desk {
	t.Helper()
	site := flowtest.LoadSite(t, os.DirFS("sandbox"), timeout, contracts.Operations...)
	app := sandbox.New()
	return desk{app, flowtest.Visit(t, pool, site, app, sandbox.Jane.Username, sandbox.Jane.Password)}
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

func (d desk) lostAnswer(t *testing.T) {
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
func (d desk) lostRequest(t *testing.T) {
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

func (d desk) takenMeanwhile(t *testing.T) {
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
func (d desk) signedOut(t *testing.T) {
	d.Gives(t, "get-account", nil) // proves the sign-in
	before, signIns := len(d.State().Booked), d.SignIns
	d.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/api/services", Times: 1}, {Path: "/api/inventory", Times: 1}}})
	d.Gives(t, "create-appointment", request(d.free(t, sandbox.InPerson, 301)[0].Start))
	d.Gives(t, "get-product-inventory", nil)
	if booked, n := d.State().Booked[before:], d.SignIns-signIns; len(booked) != 1 || n != 2 {
		t.Errorf("booked %+v, signed in %d times; want one, twice more", booked, n)
	}
}

func (d desk) oddInput(t *testing.T) {
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

func (d desk) pageWithoutData(t *testing.T) {
	d.SetFaults(kit.Faults{Failing: []kit.Failing{
		{Rule: kit.Rule{Path: "/api/clinics"}, Status: 503}, {Rule: kit.Rule{Path: "/api/products/*"}, Status: 503},
	}})
	const message = "Veranda does not answer at present. Try again in a minute."
	d.Refuses(t, "get-product", map[string]any{"productId": sandbox.FirstProduct}, flow.Unavailable, message)
	d.Refuses(t, "get-clinics", nil, flow.Unavailable, message)
	d.SetFaults(kit.Faults{})
}

// The last time of the day in Denver is on the next day in Tokyo.
func (d desk) acrossTheDateLine(t *testing.T) {
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
