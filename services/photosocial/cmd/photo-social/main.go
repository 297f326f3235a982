// Command photo-social runs the photo-social service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/photosocial"
)

func main() { integration.Main(photosocial.Integration) }
