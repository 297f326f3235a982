// Package integration is what the services of all integrations share: the
// chain around their operations, and Play, which carries an operation out by
// the flow of a site, in the browser of the account that it is for.
//
// An integration states its name, its sites and its operations in an
// Integration value; Main makes a process of it.
package integration

import (
	"io/fs"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
)

// Integration is what a service adds to the shared machinery.
type Integration struct {
	Name        string // path segment, and name of the service on the bus
	Description string // one line for operators
	Sites       fs.FS  // folder sites/<site>/ for each embedded site
	Operations  []contracts.Entry

	// Bind binds each operation to the method that carries it out.
	Bind func(*bus.Server, *Player)
}
