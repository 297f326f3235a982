// Package contracts is the public language of the Integration Gateway: what
// an operation is, what it takes and gives, and which errors it ends with.
//
// Each integration has a package below this one with one file an operation.
// Package catalog lists all of them and holds the OpenAPI document that is
// generated from them. The gateway, the services and Go clients all read the
// same values, so that a route, a subject or a field is written down once.
package contracts
