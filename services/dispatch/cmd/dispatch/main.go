// Command dispatch runs the dispatch service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/dispatch"
)

func main() { integration.Main(dispatch.Integration) }
