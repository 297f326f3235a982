// Package dispatch holds the contracts of the dispatch integration: a dispatch
// and field-service application, with the customers whom its crews visit.
package dispatch

import "integration.gateway/contracts"

const integration = "dispatch"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	CreateSession,
	EditCustomer,
	CreateCustomer,
}
