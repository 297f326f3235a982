package stack

import (
	"net/http"
	"strings"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/service"
	"integration.gateway/services/marketplace"
	marketplacesandbox "integration.gateway/services/marketplace/sandbox"
)

// integration is a service of the stack with the sandbox site that it acts on
// and the user of that site whose account is linked for the demonstration.
type integration struct {
	service.Integration
	sandbox func() http.Handler
	user    kit.User
}

// integrations are those that a stack serves.
var integrations = []integration{
	{marketplace.Integration, func() http.Handler { return marketplacesandbox.New() }, marketplacesandbox.Jane},
}

// variable is the integration's name as part of an environment variable.
func (i integration) variable() string {
	return strings.ToUpper(strings.ReplaceAll(i.Name, "-", "_"))
}
