// Package marketplace holds the contracts of the marketplace integration: an
// online retail shop at which an end user searches, fills a cart and orders.
package marketplace

const integration = "marketplace"
