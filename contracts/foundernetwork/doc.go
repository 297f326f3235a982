// Package foundernetwork holds the contracts of the founder-network
// integration: a network that offers startup founders deals of its partners.
package foundernetwork

import "integration.gateway/contracts"

const integration = "founder-network"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	SearchDeals,
	MarkDeal,
}
