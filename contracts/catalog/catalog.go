// Package catalog lists all operations of the Integration Gateway and holds the
// documents that are generated from them: openapi.gen.yaml for callers and
// asyncapi.gen.yaml for subscribers.
//
// The gateway loops over it: an operation that is listed here has its route,
// its validation and its documentation without another line of code.
package catalog

//go:generate go run ./internal/generate

import (
	"slices"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/agency"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/clinicrecords"
	"integration.gateway/contracts/dealersales"
	"integration.gateway/contracts/dispatch"
	"integration.gateway/contracts/foundernetwork"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/contracts/marketplacebusiness"
	"integration.gateway/contracts/marketplaceseller"
	"integration.gateway/contracts/paymentsapp"
	"integration.gateway/contracts/photosocial"
	"integration.gateway/contracts/professionalnetwork"
)

// All returns the operations of the public API, integration by integration.
func All() []contracts.Entry {
	return slices.Concat(
		clinicrecords.Operations,
		agency.Operations,
		marketplace.Operations,
		marketplacebusiness.Operations,
		marketplaceseller.Operations,
		foundernetwork.Operations,
		dispatch.Operations,
		professionalnetwork.Operations,
		dealersales.Operations,
		photosocial.Operations,
		paymentsapp.Operations,
	)
}

// Admin returns the operations of the operator, which need the admin token.
func Admin() []contracts.Entry {
	return slices.Concat(accounts.Operations, audit.Operations)
}
