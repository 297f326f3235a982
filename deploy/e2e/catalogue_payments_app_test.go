package e2e_test

import "integration.gateway/contracts/paymentsapp"

var paymentsAppCases = []operationCase{
	{op: paymentsapp.CreateSession, check: checkCodes},
}
