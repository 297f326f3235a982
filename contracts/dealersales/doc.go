// Package dealersales holds the contracts of the dealer-sales integration: the
// sales application of vehicle dealers, with their leads, customers, vehicles,
// appointments and calls.
package dealersales

import "integration.gateway/contracts"

const integration = "dealer-sales"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	CreateSession,
	CreateSalesAppointment,
	GetSalesAppointments,
	GetSalesAppointment,
	GetUsers,
	GetDealers,
	SearchCustomers,
	CreateCustomer,
	GetVehicles,
	CreateLead,
	GetLeadSources,
	GetLeadTypes,
	GetCompanyTypes,
	CreateCall,
}
