// Package audit holds the contracts of the audit service, which keeps the
// event log in order, signs it, and shows the operator what it tells: the
// events themselves, the commands that they add up to, and the log's state.
package audit

import "integration.gateway/contracts"

const integration = "audit"

// Operations are the operations that have a route, all for the operator. None
// of them changes anything.
var Operations = []contracts.Entry{ListEvents, ListCommands, GetCommand, GetLog}
