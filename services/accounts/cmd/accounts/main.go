// Command accounts runs the accounts service as a process of its own. Its
// settings come from the environment (see service.Config), its tables from
// "igw migrate".
package main

import (
	"context"

	"integration.gateway/pkg/service"
	"integration.gateway/services/accounts"
)

func main() {
	service.RunAtOnce("accounts", accounts.Workers, func(_ context.Context, host *service.Host) error {
		return accounts.Serve(host)
	})
}
