// Package agency is the service of the agency integration: it enters, edits and
// terminates an insurance agency's employees, and reads its invoices and
// policies. What is special about an application stands in the flows under
// sites.
package agency

import (
	"embed"

	"integration.gateway/contracts/agency"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is agency as a process serves it.
var Integration = integration.Integration{
	Name:        "agency",
	Description: "Keeps an insurance agency's employees, and reads its invoices and policies.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Flow(agency.GetAccount),
		integration.Flow(agency.GetEmployees),
		integration.Flow(agency.CreateEmployee),
		integration.Flow(agency.EditEmployee),
		integration.Flow(agency.TerminateEmployee),
		integration.Flow(agency.GetInvoices),
		integration.Flow(agency.GetPolicies),
	},
}
