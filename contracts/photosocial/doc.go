// Package photosocial holds the contracts of the photo-social integration: a photo-sharing social
// network, whose signed-in browser can be handed to a caller.
package photosocial

import "integration.gateway/contracts"

const integration = "photo-social"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	CreateSession,
}
