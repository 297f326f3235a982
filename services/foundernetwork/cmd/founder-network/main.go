// Command founder-network runs the founder-network service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/foundernetwork"
)

func main() { integration.Main(foundernetwork.Integration) }
