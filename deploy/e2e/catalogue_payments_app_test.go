package e2e_test

import (
	"integration.gateway/contracts/paymentsapp"
	"integration.gateway/services/paymentsapp/sandbox"
)

var paymentsAppCases = []operationCase{
	{
		op: paymentsapp.CreateSession, check: checkCodes(sandbox.Mila),
		refuses: codesRefused(sandbox.Viktor, sandbox.Noor, sandbox.Tomas),
	},
}
