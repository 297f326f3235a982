package infra

import (
	"fmt"
	"strings"
)

// NATSAccounts is how many accounts the NATS server has, so how many tests can run at once. Account n has the user and password "t<n>".
const NATSAccounts = 500

// natsConfig is the NATS server's configuration: accounts with JetStream that cannot see each other, after the lines given.
func natsConfig(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	b.WriteString("max_payload: 8MB\naccounts {\n")
	for n := range NATSAccounts {
		fmt.Fprintf(&b, "  T%d { jetstream: enabled, users: [{ user: t%d, password: t%d }] }\n", n, n, n)
	}
	b.WriteString("}\n")
	return b.String()
}
