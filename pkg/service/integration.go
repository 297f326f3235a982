// Package service is what the services of all integrations share: a process
// (Host) with its connections and browsers, the chain around every operation,
// and Play, which carries an operation out by its flow.
//
// An integration states its name, its sites and its operations in an
// Integration value; Main turns that into a process.
package service

import (
	"io/fs"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
)

// Version is the version that services announce on the bus.
const Version = "1.0.0"

// Integration is what a service adds to the shared machinery.
type Integration struct {
	Name        string // path segment, and name of the service on the bus
	Description string // one line for operators
	Sites       fs.FS  // folder sites/<site>/ for each embedded site
	Operations  []contracts.Entry

	// Bind binds each operation to the method that carries it out.
	Bind func(*bus.Server, *Player)
}
