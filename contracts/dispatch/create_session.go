package dispatch

import "integration.gateway/contracts"

// CreateSession opens a signed-in browser for the end user.
var CreateSession = contracts.CreateSession(integration)
