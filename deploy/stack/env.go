package stack

import (
	"fmt"
	"regexp"
	"strings"

	"integration.gateway/pkg/schema"
	"integration.gateway/services/applications"
)

// Env is what a person or a script needs to use a stack.
type Env struct {
	GatewayURL    string
	AdminToken    string
	AccessToken   string
	NATSURL       string
	DatabaseURL   string
	AccountTokens map[string]string // by integration
	SandboxURLs   map[string]string // by integration

	CheckpointVerifier string // public key of the log's checkpoints
	VaultKeeperURL     string // the vault's key-encryption key: a secret that opens all others
}

// AuditDatabaseURL is the database for those who read the log and no more.
func (e Env) AuditDatabaseURL() string { return schema.As(e.DatabaseURL, schema.Auditor) }

// plain is a value that means the same to a shell and to a program that takes
// everything after the equals sign.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@?=%+,~-]*$`)

// String returns the environment as lines that a shell can source.
func (e Env) String() string {
	var b strings.Builder
	line := func(name, value string) {
		if !plain.MatchString(value) {
			value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
		}
		fmt.Fprintf(&b, "%s=%s\n", name, value)
	}
	line("GATEWAY_URL", e.GatewayURL)
	line("ADMIN_TOKEN", e.AdminToken)
	line("ACCESS_TOKEN", e.AccessToken)
	line("NATS_URL", e.NATSURL)
	line("DATABASE_URL", e.DatabaseURL)
	line("AUDIT_DATABASE_URL", e.AuditDatabaseURL())
	line("CHECKPOINT_VERIFIER", e.CheckpointVerifier)
	line("VAULT_DATABASE_URL", schema.As(e.DatabaseURL, schema.Keeper))
	line("VAULT_KEEPER_URL", e.VaultKeeperURL)
	for _, i := range applications.All {
		if e.SandboxURLs[i.Name] == "" {
			continue // not served
		}
		line("ACCOUNT_TOKEN_"+i.Variable(), e.AccountTokens[i.Name])
		line("SANDBOX_"+i.Variable()+"_URL", e.SandboxURLs[i.Name])
	}
	return b.String()
}
