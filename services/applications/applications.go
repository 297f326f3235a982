// Package applications lists the integrations of the Integration Gateway, each
// with its sandbox: the stand-in for the application that it acts on. Whatever
// deals with all integrations (the stack, the command line, the end-to-end
// tests) goes over this list.
package applications

import (
	"net/http"
	"strings"

	"integration.gateway/pkg/integration"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/agency"
	agencysandbox "integration.gateway/services/agency/sandbox"
	"integration.gateway/services/clinicrecords"
	clinicrecordssandbox "integration.gateway/services/clinicrecords/sandbox"
	"integration.gateway/services/dealersales"
	dealersalessandbox "integration.gateway/services/dealersales/sandbox"
	"integration.gateway/services/dispatch"
	dispatchsandbox "integration.gateway/services/dispatch/sandbox"
	"integration.gateway/services/foundernetwork"
	foundernetworksandbox "integration.gateway/services/foundernetwork/sandbox"
	"integration.gateway/services/marketplace"
	marketplacesandbox "integration.gateway/services/marketplace/sandbox"
	"integration.gateway/services/marketplacebusiness"
	marketplacebusinesssandbox "integration.gateway/services/marketplacebusiness/sandbox"
	"integration.gateway/services/marketplaceseller"
	marketplacesellersandbox "integration.gateway/services/marketplaceseller/sandbox"
	"integration.gateway/services/paymentsapp"
	paymentsappsandbox "integration.gateway/services/paymentsapp/sandbox"
	"integration.gateway/services/photosocial"
	photosocialsandbox "integration.gateway/services/photosocial/sandbox"
	"integration.gateway/services/professionalnetwork"
	professionalnetworksandbox "integration.gateway/services/professionalnetwork/sandbox"
)

// SandboxSite is what the sandbox's site is called at every integration.
const SandboxSite = "sandbox"

// Application is an integration with the stand-in of its sandbox site.
type Application struct {
	integration.Integration

	Sandbox func() http.Handler // opens the stand-in
	User    kit.User            // of the stand-in, for demonstrations
}

// Variable is the integration's name as part of an environment variable.
func (a Application) Variable() string {
	return strings.ToUpper(strings.ReplaceAll(a.Name, "-", "_"))
}

// All are the integrations, in the catalogue's order.
var All = []Application{
	{clinicrecords.Integration, func() http.Handler { return clinicrecordssandbox.New() }, clinicrecordssandbox.Jane},
	{agency.Integration, func() http.Handler { return agencysandbox.New() }, agencysandbox.Jane},
	{marketplace.Integration, func() http.Handler { return marketplacesandbox.New() }, marketplacesandbox.Jane},
	{marketplacebusiness.Integration, func() http.Handler { return marketplacebusinesssandbox.New() }, marketplacebusinesssandbox.Jane},
	{marketplaceseller.Integration, func() http.Handler { return marketplacesellersandbox.New() }, marketplacesellersandbox.Jane},
	{foundernetwork.Integration, func() http.Handler { return foundernetworksandbox.New() }, foundernetworksandbox.Jane},
	{dispatch.Integration, func() http.Handler { return dispatchsandbox.New() }, dispatchsandbox.Jane},
	{professionalnetwork.Integration, func() http.Handler { return professionalnetworksandbox.New() }, professionalnetworksandbox.Jane},
	{dealersales.Integration, func() http.Handler { return dealersalessandbox.New() }, dealersalessandbox.Jane},
	{photosocial.Integration, func() http.Handler { return photosocialsandbox.New() }, photosocialsandbox.Jane},
	{paymentsapp.Integration, func() http.Handler { return paymentsappsandbox.New() }, paymentsappsandbox.Jane},
}

// Names are the names of all integrations, in the catalogue's order.
func Names() []string {
	names := make([]string, len(All))
	for i, a := range All {
		names[i] = a.Name
	}
	return names
}
