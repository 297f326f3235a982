package e2e_test

import "integration.gateway/contracts/marketplaceseller"

var marketplaceSellerCases = []operationCase{
	{op: marketplaceseller.CreateSession, check: checkSession},
}
