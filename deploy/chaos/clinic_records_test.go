package chaos_test

import (
	"fmt"
	"time"

	"integration.gateway/contracts/clinicrecords"
	"integration.gateway/services/clinicrecords/sandbox"
)

// newClinicRecords opens the clinic's application. Each trial wants a time that
// no other one does.
func newClinicRecords() *application {
	const (
		provider = 10
		service  = 301              // takes 30 minutes
		apart    = 90 * time.Minute // so that no two appointments meet
		wanted   = 150              // times
	)
	site := sandbox.New()
	clients := site.Clients()
	var starts []time.Time
	for day := time.Now().AddDate(0, 0, 1); len(starts) < wanted; {
		slots := site.FreeSlots(provider, sandbox.Foothills, sandbox.InPerson, []int64{service}, day, 1)
		if len(slots) == 0 {
			break
		}
		for _, slot := range slots {
			if len(starts) == 0 || slot.Start.Sub(starts[len(starts)-1]) >= apart {
				starts = append(starts, slot.Start)
			}
		}
		day = slots[0].Start.AddDate(0, 0, 1)
	}
	create := &operation{
		Info: clinicrecords.CreateAppointment.Info(), opens: "GET /appointments/new", sends: "POST /api/appointments",
	}
	create.wish = func(n int) wish {
		return wish{mark: numbered(n), body: clinicrecords.NewAppointment{
			ClientID: clients[1+n%5].ID, ClinicID: sandbox.Foothills, ProviderID: provider,
			ServiceIDs: []int64{service}, Modality: clinicrecords.InPerson,
			StartTime: starts[n%len(starts)].UTC(), Notes: numbered(n),
		}}
	}
	read := &operation{Info: clinicrecords.GetAccount.Info(), wish: nothing}
	operations := append(often(9, create), read)
	return &application{
		name: "clinic-records", site: site, read: read,
		lanes: []lane{{sandbox.Jane, operations}, {sandbox.Amir, operations}, {sandbox.Jane, operations}},
		changes: func() (all []change) {
			for _, a := range site.State().Booked {
				all = append(all, change{operation: create.Name, about: a.Notes, id: fmt.Sprint(a.ID)})
			}
			return all
		},
	}
}
