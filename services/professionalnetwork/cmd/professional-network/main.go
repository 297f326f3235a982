// Command professional-network runs the professional-network service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/professionalnetwork"
)

func main() { integration.Main(professionalnetwork.Integration) }
