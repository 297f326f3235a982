// Command payments-app runs the payments-app service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/paymentsapp"
)

func main() { integration.Main(paymentsapp.Integration) }
