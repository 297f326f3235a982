// Package professionalnetwork holds the contracts of the professional-network
// integration: a social network at which members write to each other.
package professionalnetwork

import "integration.gateway/contracts"

const integration = "professional-network"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	SendMessage,
}
