package stack

import (
	"net/http"
	"strings"

	"integration.gateway/pkg/integration"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/marketplace"
	marketplacesandbox "integration.gateway/services/marketplace/sandbox"
)

// application is an integration of the stack with the sandbox site that it acts
// on and the user of that site whose account is linked for the demonstration.
type application struct {
	integration.Integration
	sandbox func() http.Handler
	user    kit.User
}

// sandboxSite is what the sandbox's site is called at every integration.
const sandboxSite = "sandbox"

// applications are those that a stack serves.
var applications = []application{
	{marketplace.Integration, func() http.Handler { return marketplacesandbox.New() }, marketplacesandbox.Jane},
}

// variable is the integration's name as part of an environment variable.
func (a application) variable() string {
	return strings.ToUpper(strings.ReplaceAll(a.Name, "-", "_"))
}
