// Command marketplace-business runs the marketplace-business service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/marketplacebusiness"
)

func main() { integration.Main(marketplacebusiness.Integration) }
