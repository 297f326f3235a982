// Command agency runs the agency service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/agency"
)

func main() { integration.Main(agency.Integration) }
