package infra

import (
	"fmt"
	"strings"

	"integration.gateway/contracts"
)

// NATSAccounts is how many accounts the NATS server has, so how many tests can run at once. Account n has the user and password "t<n>".
const NATSAccounts = 500

// natsConfig is the NATS server's configuration: accounts with JetStream that cannot see each other, after the lines given.
func natsConfig(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "max_payload: %d\naccounts {\n", contracts.MaxMessageBytes)
	for n := range NATSAccounts {
		fmt.Fprintf(&b, "  T%d { jetstream: enabled, users: [{ user: t%d, password: t%d }] }\n", n, n, n)
	}
	b.WriteString("}\n")
	return b.String()
}
