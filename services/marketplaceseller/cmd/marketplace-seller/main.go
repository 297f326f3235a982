// Command marketplace-seller runs the marketplace-seller service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/marketplaceseller"
)

func main() { integration.Main(marketplaceseller.Integration) }
