// Package agency holds the contracts of the agency integration: an insurance
// agency's management application, with its employees, invoices and policies.
package agency

import "integration.gateway/contracts"

const integration = "agency"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	GetAccount,
	GetEmployees,
	CreateEmployee,
	EditEmployee,
	TerminateEmployee,
	GetInvoices,
	GetPolicies,
}
