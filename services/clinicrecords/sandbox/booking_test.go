package sandbox_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"integration.gateway/services/clinicrecords/sandbox"
)

// order is an appointment that a visitor asks for.
type order map[string]any

// free is an order for the first free time of Dr. Pike in Denver, next week.
func (v *visitor) free() order {
	v.T.Helper()
	slots := v.FreeSlots(10, sandbox.Foothills, sandbox.InPerson, []int64{301}, time.Now().AddDate(0, 0, 7), 12)
	if len(slots) == 0 {
		v.T.Fatal("nothing is free")
	}
	return order{
		"client": sandbox.FirstClient, "clinic": sandbox.Foothills, "provider": 10, "modality": "inPerson", "services": []int64{301}, "start": slots[0].Start,
		"notes": "Window seat.", "tell": true,
	}
}

func (o order) with(name string, value any) order {
	other := order{}
	for n, v := range o {
		other[n] = v
	}
	other[name] = value
	return other
}

func TestATimeIsBookedOnce(t *testing.T) {
	t.Parallel()
	v := signedIn(t, sandbox.New())
	wanted := v.free()
	var booked sandbox.Appointment
	v.want(http.StatusOK, http.MethodPost, "/api/appointments", wanted, &booked)
	if booked.Minutes != 30 || booked.Status != sandbox.Booked || booked.Notes != "Window seat." || booked.Services[0].Price != "290.00" {
		t.Errorf("booked %+v", booked)
	}
	v.refused(http.StatusConflict, http.MethodPost, "/api/appointments", wanted, "no longer free")
	// The buffer of ten minutes is kept free as well.
	v.refused(http.StatusConflict, http.MethodPost, "/api/appointments", wanted.with("start", booked.Start.Add(30*time.Minute)), "no longer free")
	state := v.State()
	if len(state.Booked) != 1 || state.Booked[0].ID != booked.ID || !slices.Equal(state.Told, []int64{booked.ID}) || state.Effects["appointment"] != 1 {
		t.Errorf("state %+v", state)
	}
}

func TestACancelledTimeIsFreeAgain(t *testing.T) {
	t.Parallel()
	v := signedIn(t, sandbox.New())
	wanted := v.free()
	var first, second sandbox.Appointment
	v.want(http.StatusOK, http.MethodPost, "/api/appointments", wanted, &first)
	path := "/api/appointments/" + strconv.FormatInt(first.ID, 10)
	v.want(http.StatusOK, http.MethodPost, path+"/cancel", nil, &first)
	v.refused(http.StatusConflict, http.MethodPost, path+"/cancel", nil, "cannot be cancelled")
	v.want(http.StatusOK, http.MethodPost, "/api/appointments", wanted, &second)
	v.want(http.StatusOK, http.MethodGet, path, nil, &first)
	if first.Status != sandbox.Cancelled || second.ID != first.ID+1 {
		t.Errorf("first %+v, second %+v", first, second)
	}
}

func TestWhatCannotBeBooked(t *testing.T) {
	t.Parallel()
	v := signedIn(t, shared())
	wanted := v.free()
	start, _ := wanted["start"].(time.Time)
	for _, no := range []struct {
		order  order
		status int
		words  string
	}{
		{wanted.with("client", 1), http.StatusNotFound, "client 1"},
		{wanted.with("clinic", 1), http.StatusNotFound, "clinic 1"},
		{wanted.with("provider", 99), http.StatusNotFound, "provider 99"},
		{wanted.with("modality", "letter"), http.StatusUnprocessableEntity, "how"},
		{wanted.with("services", []int64{}), http.StatusUnprocessableEntity, "service"},
		{wanted.with("services", []int64{999}), http.StatusUnprocessableEntity, "999"},
		{wanted.with("minutes", 481), http.StatusUnprocessableEntity, "8 hours"},
		{wanted.with("services", []int64{306}), http.StatusConflict, "does not offer"},
		{wanted.with("clinic", sandbox.Lakeside), http.StatusConflict, "does not offer"},
		{wanted.with("client", sandbox.ClientOnHold), http.StatusConflict, "on hold"},
		{wanted.with("start", start.Add(12*time.Hour)), http.StatusConflict, "outside"},
		{wanted.with("start", start.Add(7*time.Minute)), http.StatusConflict, "outside"},
		{wanted.with("start", start.AddDate(0, 0, -28)), http.StatusConflict, "outside"},
	} {
		v.refused(no.status, http.MethodPost, "/api/appointments", no.order, no.words)
	}
	if state := v.State(); len(state.Booked) != 0 || len(state.Effects) != 0 {
		t.Errorf("state %+v", state)
	}
}

// Whatever is free can be booked, and nothing else can.
func TestAvailabilityFollowsTheCalendar(t *testing.T) {
	t.Parallel()
	v := signedIn(t, sandbox.New())
	wanted := v.free()
	start, _ := wanted["start"].(time.Time)
	day := "&date=" + start.Format(time.DateOnly)
	query := "/api/availability?clinic=13&providers=10&services=301&modality=inPerson" + day
	type answer struct {
		Minutes   int
		Providers []struct{ Slots []sandbox.Slot }
	}
	var before, all, after answer
	v.want(http.StatusOK, http.MethodGet, query, nil, &before)
	v.want(http.StatusOK, http.MethodGet, query+"&taken=1", nil, &all)
	free := before.Providers[0].Slots
	if before.Minutes != 30 || !free[0].Start.Equal(start) || len(all.Providers[0].Slots) <= len(free) {
		t.Errorf("free %+v, all %+v", before, all)
	}
	v.want(http.StatusOK, http.MethodPost, "/api/appointments", wanted, &struct{}{})
	v.want(http.StatusOK, http.MethodGet, query, nil, &after)
	if left := after.Providers[0].Slots; len(left) >= len(free) || len(left) > 0 && left[0].Start.Sub(start) < 40*time.Minute {
		t.Errorf("before %+v, after %+v", free, left)
	}
}
