// Package marketplaceseller holds the contracts of the marketplace-seller integration: the seller edition of an
// online retail shop, whose signed-in browser can be handed to a caller.
package marketplaceseller

import "integration.gateway/contracts"

const integration = "marketplace-seller"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	CreateSession,
}
