// Package clinicrecords holds the contracts of the clinic-records integration:
// the records and scheduling application of an aesthetic clinic business.
package clinicrecords

import "integration.gateway/contracts"

const integration = "clinic-records"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	CreateSession,
	CreateAppointment,
	GetAppointments,
	GetClients,
	GetClient,
	GetClientAppointments,
	GetClinics,
	GetProviders,
	GetProductInventory,
	GetPriceList,
	GetProduct,
	GetAvailability,
	GetAccount,
	GetAppointmentTypes,
}
