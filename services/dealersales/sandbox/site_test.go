package sandbox_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/services/dealersales/sandbox"
)

func TestGuestsAreSentToTheSignInAndBack(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, path := range []string{"/", "/vehicles", "/customers/" + customer, "/calendar", "/calendar/frame?dealer=D-014", "/nowhere"} {
		v.Open(path)
		v.Sees(`id="sign-in"`)
	}
	v.Open("/vehicles?make=Arden")
	v.Submit("/sign-in", url.Values{"user": {sandbox.Jane.Username}, "password": {"guess"}})
	v.Sees("User name or password is wrong.")
	v.Submit("/sign-in", url.Values{"user": {sandbox.Jane.Username}, "password": {sandbox.Jane.Password}})
	v.At("/vehicles?make=Arden")
	v.Submit("/sign-out", nil)
	v.Open("/customers")
	v.Sees(`id="sign-in"`)
}

func TestEveryPageIsThere(t *testing.T) {
	t.Parallel()
	v := enter(t)
	for _, path := range []string{
		"/", "/dealers", "/users", "/lists/lead-sources", "/lists/lead-types", "/lists/company-types", "/vehicles", "/vehicles/V-55190", "/pictures/V-55190.svg",
		"/customers", "/customers/" + customer, "/leads", "/leads/" + lead, "/leads/new?customer=" + customer, "/calendar", "/calendar/frame?dealer=D-014",
		"/appointments", "/appointments/A-71001", "/assets/desk.css",
	} {
		v.Open(path)
		v.Answered(http.StatusOK)
		v.SeesNot("cannot show this page")
	}
	for _, path := range []string{
		"/nowhere", "/lists/colours", "/vehicles/V-1", "/pictures/V-1.svg", "/customers/C-1", "/leads/L-1", "/leads/new?customer=C-1", "/calendar?dealer=D-1",
		"/calendar/frame?dealer=D-1", "/appointments/A-1",
	} {
		v.Open(path)
		v.Answered(http.StatusNotFound)
	}
}

func TestPagesHoldEachVehicleOnce(t *testing.T) {
	t.Parallel()
	v := enter(t)
	var seen []string
	for path := "/vehicles?rows=200"; path != ""; path = v.Next() {
		v.Open(path)
		seen = append(seen, v.Attributes("data-vehicle")...)
	}
	slices.Sort(seen)
	if n := len(slices.Compact(seen)); n != 2000 || len(seen) != n {
		t.Errorf("%d rows with %d vehicles, want 2000", len(seen), n)
	}
	for path, want := range map[string]int{"/vehicles?page=99": 0, "/vehicles?rows=7": 7, "/vehicles?rows=201": 50, "/vehicles?rows=x&page=-1": 50, "/vehicles?make=%3Cb%3E": 0} {
		if v.Open(path); len(v.Attributes("data-vehicle")) != want {
			t.Errorf("%s: %d rows, want %d", path, len(v.Attributes("data-vehicle")), want)
		}
	}
}

func TestVehiclesAreNumberedAsVehiclesAre(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, vehicle := range sandbox.New().Vehicles() {
		if len(vehicle.VIN) != 17 || strings.ContainsAny(vehicle.VIN, "IOQ") || seen[vehicle.VIN] || seen[vehicle.Stock] {
			t.Errorf("%s has the VIN %s and the stock number %s", vehicle.ID, vehicle.VIN, vehicle.Stock)
		}
		seen[vehicle.VIN], seen[vehicle.Stock] = true, true
	}
}

func TestEverybodyStartsWithTheSame(t *testing.T) {
	t.Parallel()
	one, two := sandbox.New(), sandbox.New()
	if !cmp.Equal(one.Vehicles(), two.Vehicles()) || !cmp.Equal(one.Leads(), two.Leads()) || len(one.Leads()) != 800 || len(one.Customers()) != 900 {
		t.Error("two applications differ")
	}
	busy := map[string]bool{}
	for _, a := range one.Appointments() {
		at := a.UserID + a.Start.String()
		if busy[at] && a.Status != "Cancelled" && a.Status != "Rescheduled" {
			t.Errorf("%s: its user has two appointments at that time", a.ID)
		}
		busy[at] = busy[at] || a.Status != "Cancelled" && a.Status != "Rescheduled"
	}
}
