// Package contracts is the public language of the Integration Gateway: what
// an operation is, what it takes and gives, and which errors it ends with.
//
// Each integration has a package below this one with one file an operation.
// Package catalog lists all of them and holds the OpenAPI document that is
// generated from them. The gateway, the services and Go clients all read the
// same values, so that a route, a subject or a field is written down once.
//
// # Sensitive fields
//
// A field of a request or a result that carries the tag sensitive:"true" is
// sealed with the account's own key before it reaches the event log, with all
// that is in it, and no process log and no error holds it. The rule is: a field
// is sensitive when its value
//
//   - says who somebody is, the end user or one of their customers, clients,
//     employees or contacts: names, addresses, telephone numbers, e-mail
//     addresses, days of birth, identifiers of persons at the application, and
//     names of businesses, which are often their owners';
//   - says something of such a person: health, employment, pay, insurance, what
//     they owe and pay with, when they are to be seen;
//   - is what a person wrote, looked for, chose or bought, or what was found for
//     it: messages, notes, search words and their results, items and prices of an
//     order;
//   - opens something: passwords, tokens, codes, and addresses of pages that are
//     for one person, such as those of sessions and invoices.
//
// A field is not sensitive when it tells nothing of a person by itself: what an
// application shows to everybody alike (its catalogue, its clinics and dealers
// with their public telephone numbers), paging, counts, dates that a query
// spans, enumerations, yes or no, and identifiers of things rather than persons.
// The number of an order, an invoice or an appointment stays readable, so that
// an auditor can find at the application what the log says was done there, also
// after the account was erased.
package contracts
