// Command clinic-records runs the clinic-records service as a process of its own.
// Its settings come from the environment: see service.Config and
// integration.Config.
package main

import (
	"integration.gateway/pkg/integration"
	"integration.gateway/services/clinicrecords"
)

func main() { integration.Main(clinicrecords.Integration) }
