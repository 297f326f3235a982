package e2e_test

import (
	"integration.gateway/contracts/photosocial"
	"integration.gateway/services/photosocial/sandbox"
)

var photoSocialCases = []operationCase{
	{
		op: photosocial.CreateSession, check: checkCodes(sandbox.Mila),
		refuses: codesRefused(sandbox.Viktor, sandbox.Noor, sandbox.Tomas),
	},
}
