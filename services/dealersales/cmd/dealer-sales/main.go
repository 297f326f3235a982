// Command dealer-sales runs the dealer-sales service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/dealersales"
)

func main() { integration.Main(dealersales.Integration) }
