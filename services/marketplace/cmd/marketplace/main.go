// Command marketplace runs the marketplace service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/marketplace"
)

func main() { integration.Main(marketplace.Integration) }
