// Command audit runs the audit service as a process of its own. Its settings
// come from the environment (see service.Config and audit.Config), its tables
// from "igw migrate".
package main

import (
	"context"

	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/services/audit"
)

func main() {
	service.RunAtOnce("audit", audit.Workers, func(_ context.Context, host *service.Host) error {
		cfg, err := settings.FromEnv[audit.Config]()
		if err != nil {
			return err
		}
		return audit.Serve(host, cfg)
	})
}
