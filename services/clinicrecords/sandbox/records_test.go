package sandbox_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"integration.gateway/services/clinicrecords/sandbox"
)

func TestOnlyWhoIsSignedInReads(t *testing.T) {
	t.Parallel()
	v := visit(t, shared())
	v.Open("/")
	for _, path := range []string{"/api/me", "/api/clients", "/api/inventory"} {
		v.refused(http.StatusUnauthorized, http.MethodGet, path, nil, "Sign in")
	}
	v.refused(http.StatusUnprocessableEntity, http.MethodPost, "/api/session", map[string]string{"email": sandbox.Jane.Username, "password": "guess"}, "do not belong together")
	v.refused(http.StatusUnauthorized, http.MethodPost, "/api/appointments", order{}, "Sign in")
}

func TestSigningOutEndsIt(t *testing.T) {
	t.Parallel()
	v := signedIn(t, shared())
	v.want(http.StatusOK, http.MethodGet, "/api/me", nil, &struct{}{})
	v.want(http.StatusOK, http.MethodDelete, "/api/session", nil, &struct{}{})
	v.refused(http.StatusUnauthorized, http.MethodGet, "/api/me", nil, "Sign in")
}

func TestAddressesOfTheApplication(t *testing.T) {
	t.Parallel()
	v := visit(t, shared())
	for path, want := range map[string]int{"/clients/50001": http.StatusOK, "/appointments/new": http.StatusOK, "/nowhere": http.StatusNotFound} {
		v.Open(path)
		v.Answered(want, "/assets/app.js")
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	v := signedIn(t, shared())
	for path, words := range map[string]string{
		"/api/clinics/1":                   "clinic 1",
		"/api/providers/99":                "provider 99",
		"/api/clients/1":                   "client 1",
		"/api/clients/60000/appointments":  "client 60000",
		"/api/products/1":                  "product 1",
		"/api/prices?clinic=1":             "clinic 1",
		"/api/appointments/1":              "appointment 1",
		"/api/calendar?clinic=1":           "clinic 1",
		"/api/services?providerId=99":      "provider 99",
		"/api/services?providerId=1":       "clinic 0",
		"/api/availability?clinic=1":       "clinic 1",
		"/api/clients/not-a-number-at-all": "client 0",
	} {
		v.refused(http.StatusNotFound, http.MethodGet, path, nil, words)
	}
}

func TestWhatIsAskedWrongly(t *testing.T) {
	t.Parallel()
	v := signedIn(t, shared())
	for path, words := range map[string]string{
		"/api/clients?page=0":                                                   "page",
		"/api/clients?perPage=201":                                              "page",
		"/api/calendar?clinic=11&from=2026-02-30&to=2026-03-01":                 "first day",
		"/api/calendar?clinic=11&from=2026-03-02&to=2026-03-01":                 "last day",
		"/api/services?providerId=1&clinicId=11&modality=letter":                "how",
		"/api/availability?clinic=11&modality=phone&date=x&services=501":        "day",
		"/api/availability?clinic=11&modality=phone&date=2026-03-02&services=1": "service 1",
	} {
		v.refused(http.StatusUnprocessableEntity, http.MethodGet, path, nil, words)
	}
}

func TestThePageAfterTheLastIsEmpty(t *testing.T) {
	t.Parallel()
	v := signedIn(t, shared())
	seen := map[string]bool{}
	for page := 1; ; page++ {
		var list struct {
			Items []sandbox.StockRow
			Total int
		}
		v.want(http.StatusOK, http.MethodGet, fmt.Sprintf("/api/inventory?perPage=200&page=%d", page), nil, &list)
		if list.Total != 10_000 {
			t.Fatalf("page %d: %d in all", page, list.Total)
		}
		for _, row := range list.Items {
			seen[row.Lot] = true
		}
		if len(list.Items) == 0 {
			break
		}
	}
	if len(seen) != 10_000 {
		t.Errorf("%d lots, want 10000", len(seen))
	}
}

func TestClientsAreFoundByNameAndNumber(t *testing.T) {
	t.Parallel()
	v := signedIn(t, shared())
	client := v.Clients()[41]
	for _, wanted := range []string{fmt.Sprint(client.ID), client.GivenName + "+" + client.FamilyName} {
		var list struct{ Items []sandbox.Client }
		v.want(http.StatusOK, http.MethodGet, "/api/clients?q="+wanted, nil, &list)
		if !slices.ContainsFunc(list.Items, func(c sandbox.Client) bool { return c.ID == client.ID }) || len(list.Items) > 5 {
			t.Errorf("%s: %+v", wanted, list.Items)
		}
	}
}

// Nobody is in two places, on leave or at lunch while they see a client.
func TestTheCalendarIsOneThatCanBe(t *testing.T) {
	t.Parallel()
	last := map[int64]sandbox.Appointment{}
	all := shared().Calendar()
	slices.SortFunc(all, func(a, b sandbox.Appointment) int { return a.Start.Compare(b.Start) })
	for _, a := range all {
		if a.Status == sandbox.Cancelled || a.Status == sandbox.NoShow {
			continue
		}
		if before, there := last[a.Provider]; there && before.End.After(a.Start) {
			t.Errorf("%d and %d overlap", before.ID, a.ID)
		}
		if a.Start.Format("15:04") < "13:00" && a.End.Format("15:04") > "12:30" && a.Start.Weekday() != time.Saturday {
			t.Errorf("%d is at lunch", a.ID)
		}
		last[a.Provider] = a
	}
	if span := all[len(all)-1].Start.Sub(all[0].Start); len(all) < 4000 || span < 150*24*time.Hour {
		t.Errorf("%d appointments in %s", len(all), span)
	}
}
