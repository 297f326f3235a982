// Command marketplace runs the marketplace service as a process of its own.
// Its settings come from the environment; see service.Config.
package main

import (
	"integration.gateway/pkg/service"
	"integration.gateway/services/marketplace"
)

func main() { service.Main(marketplace.Integration) }
