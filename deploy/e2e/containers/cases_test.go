package containers_test

import (
	"integration.gateway/contracts"
	"integration.gateway/contracts/agency"
	"integration.gateway/contracts/clinicrecords"
	"integration.gateway/contracts/dealersales"
	"integration.gateway/contracts/dispatch"
	"integration.gateway/contracts/foundernetwork"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/contracts/marketplacebusiness"
	"integration.gateway/contracts/marketplaceseller"
	"integration.gateway/contracts/paymentsapp"
	"integration.gateway/contracts/photosocial"
	"integration.gateway/contracts/professionalnetwork"
	network "integration.gateway/services/professionalnetwork/sandbox"
)

// callCase is one call of an integration.
type callCase struct {
	op    contracts.Entry
	query string
	body  any
	says  string // part of the answer that only the application can tell
}

// cases has a call of each integration, by its name.
var cases = map[string]callCase{
	"clinic-records":       {op: clinicrecords.GetClinics, says: `"openingHours":[{`},
	"agency":               {op: agency.GetAccount, says: `"agencyName":"`},
	"marketplace":          {op: marketplace.Search, query: "?query=coffee", says: `"asin":"`},
	"marketplace-business": {op: marketplacebusiness.GetAddresses, says: `"postalCode":"`},
	"marketplace-seller":   {op: marketplaceseller.CreateSession, says: `"status":"ok"`},
	"founder-network":      {op: foundernetwork.SearchDeals, query: "?query=founders", says: `"deals":[{`},
	"dispatch":             {op: dispatch.CreateSession, says: `"status":"ok"`},
	"professional-network": {op: professionalnetwork.SendMessage, body: professionalnetwork.NewMessage{To: network.Talkative, Content: "Hello"}, says: `"status":"ok"`},
	"dealer-sales":         {op: dealersales.GetDealers, says: `"name":"`},
	"photo-social":         {op: photosocial.CreateSession, says: `"status":"ok"`},
	"payments-app":         {op: paymentsapp.CreateSession, says: `"status":"ok"`},
}
