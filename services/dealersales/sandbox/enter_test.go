package sandbox_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"integration.gateway/services/dealersales/sandbox"
)

// with is what is typed, with something changed.
func with(typed url.Values, name, value string) url.Values {
	changed := url.Values{}
	for n, values := range typed {
		changed[n] = values
	}
	changed.Set(name, value)
	return changed
}

// refused submits a form in several ways, none of which must enter anything.
func (v *visitor) refused(page, action string, typed url.Values, changes map[[2]string]string) {
	v.T.Helper()
	before := v.State().Effects
	for change, words := range changes {
		v.Open(page)
		v.Submit(action, with(typed, change[0], change[1]))
		v.Answered(http.StatusUnprocessableEntity, `role="alert"`, words)
	}
	for kind, n := range v.State().Effects {
		if n != before[kind] {
			v.T.Errorf("%d of %s were entered", n-before[kind], kind)
		}
	}
}

func TestACustomerIsEnteredOnce(t *testing.T) {
	t.Parallel()
	v := enter(t)
	typed := url.Values{"dealer": {springfield}, "last": {"Whitfield"}, "email": {"dana@whitfield.example"}, "mobile": {"+1 217 555 0155"}}
	v.Open("/customers")
	v.Submit("/customers", typed)
	v.Sees("The customer is entered.", "Whitfield")
	v.Open("/customers?sort=newest")
	if got := v.Attributes("data-customer")[0]; got != v.State().Customers[0].ID {
		t.Errorf("the newest is %s", got)
	}
	v.refused("/customers", "/customers", typed, map[[2]string]string{
		{"email", "DANA@whitfield.example"}: "has this e-mail address already", {"email", ""}: "has this telephone number already",
		{"email", "nobody"}: "no e-mail address", {"last", " "}: "Give a name.", {"dealer", "D-1"}: "Choose a dealer.",
		{"home", "12"}: "no telephone number", {"companyType", "CT-9"}: "Choose a company type.", {"preferred", "Fax"}: "Choose how",
		{"city", "Springfield"}: "needs a street and a city",
	})
	v.Open("/customers")
	v.Submit("/customers", url.Values{"dealer": {springfield}, "last": {"Whitfield"}})
	v.Submit("/sign-out", nil)
	if n := len(v.State().Customers); n != 2 {
		t.Errorf("%d customers, want 2: nothing forbids a namesake", n)
	}
}

func TestCustomersAreFound(t *testing.T) {
	t.Parallel()
	v := enter(t)
	known := v.Customers()[0]
	for query, want := range map[string]bool{
		known.Email[:12]: true, known.Mobile: true, "1" + known.Mobile[1:4] + known.Mobile[6:9] + known.Mobile[10:]: true, known.Company: true,
		"no such customer": false, "12": false,
	} {
		v.Open("/customers?rows=200&q=" + url.QueryEscape(query))
		if slices.Contains(v.Attributes("data-customer"), known.ID) != want {
			t.Errorf("%q finds %v", query, v.Attributes("data-customer"))
		}
	}
}

func TestLeadsAreGivenInTurn(t *testing.T) {
	t.Parallel()
	v := enter(t)
	typed := url.Values{"dealer": {springfield}, "source": {"LS-8"}, "type": {"LT-2"}, "reference": {"mine"}}
	for range 2 {
		v.Open("/leads/new?customer=" + customer)
		v.Submit("/leads", typed)
		v.Sees("The lead is entered.", "mine")
	}
	leads := v.State().Leads
	if len(leads) != 2 || leads[0].UserID == leads[1].UserID || leads[0].Status != "New" {
		t.Errorf("the leads are %+v", leads)
	}
	v.Open("/leads?reference=mine")
	v.Sees(leads[0].ID, leads[1].ID)
	sold := slices.IndexFunc(v.Vehicles(), func(vehicle sandbox.Vehicle) bool { return vehicle.DealerID == springfield && vehicle.Status == "Sold" })
	v.refused("/leads/new?customer="+customer, "/leads", typed, map[[2]string]string{
		{"dealer", "D-011"}: "is no customer of Crossroads Motors Peoria", {"source", "LS-11"}: "does not use the lead source", {"type", "LT-6"}: "no lead type",
		{"user", "U-206"}: "does not work at", {"vehicle", "V-54001"}: "has no vehicle", {"vehicle", v.Vehicles()[sold].ID}: "is sold",
		{"tradeVIN", "1HGCV1F34LA098765"}: "year, make and model",
	})
}

func TestACallIsLogged(t *testing.T) {
	t.Parallel()
	v := enter(t)
	page, action := "/customers/"+customer, "/customers/"+customer+"/calls"
	typed := url.Values{"dealer": {springfield}, "user": {seller}, "direction": {"Inbound"}, "outcome": {"Connected"}, "start": {"2024-05-06T10:00"}, "notes": {"Told\r\nall"}}
	v.Open(page)
	v.Submit(action, typed)
	call := v.State().Calls[0]
	v.Sees("Call " + call.ID + " is logged.")
	if call.Seconds != -1 || call.Notes != "Told\nall" || call.StartTime.UTC().Hour() != 15 {
		t.Errorf("the call is %+v", call)
	}
	v.refused(page, action, typed, map[[2]string]string{
		{"dealer", "D-011"}: "is a customer of", {"lead", "L-330101"}: "has no lead", {"user", "U-206"}: "does not work at", {"direction", "Both"}: "Choose who called",
		{"start", "soon"}: "no date and time", {"start", "2099-01-01T10:00"}: "Choose Scheduled", {"seconds", "-4"}: "A call lasts", {"phone", "1"}: "no telephone number",
	})
}

func TestAnAppointmentIsBookedAtAFreeTime(t *testing.T) {
	t.Parallel()
	v := enter(t)
	page, action := "/calendar/frame?dealer="+springfield, "/calendar/frame"
	typed := url.Values{"lead": {lead}, "customer": {customer}, "user": {seller}, "start": {"2024-05-06T10:00"}, "end": {"5/6/2024 11:00 AM"}, "subject": {"Test drive"}}
	v.Open(page)
	v.Submit(action, typed)
	booked := v.State().Appointments[0]
	v.Sees(`id="booked"`, booked.ID)
	v.Open("/appointments?lead=" + lead)
	v.Sees(booked.ID, "Scheduled", `datetime="2024-05-06T10:00:00-05:00"`)
	v.Open("/leads/" + lead)
	v.Sees("Appointment set")
	v.refused(page, action, typed, map[[2]string]string{
		{"end", "2024-05-06T10:01:00-05:00"}: "has another appointment at that time", {"start", "later"}: "no date and time", {"end", "2024-05-06T09:00"}: "ends after it starts",
		{"end", "2024-05-07T11:00"}: "ends after it starts", {"lead", "L-1"}: "has no lead", {"customer", "C-87201"}: "is of customer", {"user", "U-206"}: "does not work at",
		{"subject", ""}: "Say what",
	})
	v.Open(page)
	v.Submit(action, with(with(typed, "start", "2024-05-06T11:00"), "end", "2024-05-06T11:30"))
	v.Sees(`id="booked"`)
}
