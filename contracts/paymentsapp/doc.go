// Package paymentsapp holds the contracts of the payments-app integration: a peer-to-peer payments
// application, whose signed-in browser can be handed to a caller.
package paymentsapp

import "integration.gateway/contracts"

const integration = "payments-app"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	CreateSession,
}
