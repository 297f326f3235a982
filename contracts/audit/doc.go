// Package audit holds the contracts of the audit service, which keeps the
// event log in order, signs it, and shows what it tells: to the operator the
// events themselves, the commands and sessions that they add up to, the log's
// state, and how the sites drift; to a caller what became of its own commands
// and sessions.
package audit

import "integration.gateway/contracts"

const integration = "audit"

// Operations are the operations that have a route. GetCommand, GetSession and
// StopSession are for callers too, the others for the operator alone; only
// ReconcileCommand and StopSession change anything.
var Operations = []contracts.Entry{
	ListEvents, ListCommands, GetCommand, ReconcileCommand, ListSessions, GetSession, StopSession, GetLog, ListDrift,
}
