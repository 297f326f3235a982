package e2e_test

import "integration.gateway/contracts/photosocial"

var photoSocialCases = []operationCase{
	{op: photosocial.CreateSession, check: checkCodes},
}
