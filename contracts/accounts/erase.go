package accounts

import (
	"net/http"

	"integration.gateway/contracts"
)

// EraseAccount destroys an account's key.
var EraseAccount = contracts.Operation[AccountRequest, Account]{
	Integration: integration,
	Name:        "erase-account",
	Method:      http.MethodPost,
	Path:        "/admin/v1/accounts/{accountId}/erase",
	Summary:     "Erase an account",
	Description: "Destroys the key that the account's personal data is sealed with: nobody can read that data any more, wherever it was copied to. " +
		"An account that is still linked is unlinked first, and its label is deleted. What was done on the account stays in the event log, and its proofs hold; " +
		"its sensitive fields show as erased. This cannot be undone. Erasing it again changes nothing. " +
		"Backups of the vault's database from before still hold the key, until they are deleted.",
	Effect: contracts.Record,
	Access: contracts.AdminToken,
}
