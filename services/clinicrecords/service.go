// Package clinicrecords is the service of the clinic-records integration: it
// reads an aesthetic clinic's clients, calendar, availability and stock, and
// books appointments. What is special about an application stands in the flows
// under sites.
package clinicrecords

import (
	"embed"

	"integration.gateway/contracts/clinicrecords"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is clinic-records as a process serves it.
var Integration = integration.Integration{
	Name:        "clinic-records",
	Description: "Reads an aesthetic clinic's clients, calendar and stock, and books appointments.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Session(clinicrecords.CreateSession),
		integration.Flow(clinicrecords.CreateAppointment),
		integration.Flow(clinicrecords.GetAppointments),
		integration.Flow(clinicrecords.GetClients),
		integration.Flow(clinicrecords.GetClient),
		integration.Flow(clinicrecords.GetClientAppointments),
		integration.Flow(clinicrecords.GetClinics),
		integration.Flow(clinicrecords.GetProviders),
		integration.Flow(clinicrecords.GetProductInventory),
		integration.Flow(clinicrecords.GetPriceList),
		integration.Flow(clinicrecords.GetProduct),
		integration.Flow(clinicrecords.GetAvailability),
		integration.Flow(clinicrecords.GetAccount),
		integration.Flow(clinicrecords.GetAppointmentTypes),
	},
}
