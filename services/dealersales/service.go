// Package dealersales is the service of the dealer-sales integration: it reads
// a vehicle dealer's stock, customers, leads and appointments, and enters new
// ones. What is special about an application stands in the flows under sites.
package dealersales

import (
	"embed"

	"integration.gateway/contracts/dealersales"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is dealer-sales as a process serves it.
var Integration = integration.Integration{
	Name:        "dealer-sales",
	Description: "Reads a vehicle dealer's stock, customers and appointments, and enters new ones.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Session(dealersales.CreateSession),
		integration.Flow(dealersales.CreateSalesAppointment),
		integration.Flow(dealersales.GetSalesAppointments),
		integration.Flow(dealersales.GetSalesAppointment),
		integration.Flow(dealersales.GetUsers),
		integration.Flow(dealersales.GetDealers),
		integration.Flow(dealersales.SearchCustomers),
		integration.Flow(dealersales.CreateCustomer),
		integration.Flow(dealersales.GetVehicles),
		integration.Flow(dealersales.CreateLead),
		integration.Flow(dealersales.GetLeadSources),
		integration.Flow(dealersales.GetLeadTypes),
		integration.Flow(dealersales.GetCompanyTypes),
		integration.Flow(dealersales.CreateCall),
	},
}
