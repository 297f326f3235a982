package catalog_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
)

// specified is part 4 of the specification, row by row: method, path, path and
// query parameters, and the body as far as part 2.4 gives its fields. "!"
// marks what is required, "=" a default; "record" is a body whose fields the
// specification does not show.
const specified = `
POST   /v1/clinic-records/session | | none
POST   /v1/clinic-records/appointments | | record
GET    /v1/clinic-records/appointments | clinicId integer!, startDate date!, endDate date!, providerIds []integer! | none
GET    /v1/clinic-records/clients | page integer, pageSize integer | none
GET    /v1/clinic-records/clients/{clientId} | clientId integer! | none
GET    /v1/clinic-records/clients/{clientId}/appointments | clientId integer!, page integer, pageSize integer | none
GET    /v1/clinic-records/clinics | | none
GET    /v1/clinic-records/providers | | none
GET    /v1/clinic-records/products/inventory | page integer, pageSize integer | none
GET    /v1/clinic-records/products/price-list | clinicId integer!, page integer, pageSize integer | none
GET    /v1/clinic-records/products/{productId} | productId integer! | none
GET    /v1/clinic-records/availability | appointmentType enum!, clinicId integer!, duration integer, providerIds []integer!, serviceIds []integer!, startDate date! | none
GET    /v1/clinic-records/account | | none
GET    /v1/clinic-records/appointment-types | providerId integer!, clinicId integer!, modality enum! | none

GET    /v1/agency/account | | none
GET    /v1/agency/employees | | none
POST   /v1/agency/employees | | birthDate date!, currentSalary double!, firstName string!, hireDate date!, lastName string!, salaryFrequency enum!, workHours double!
PATCH  /v1/agency/employees/{employeeId} | employeeId string! | earnings double, earningsPeriod enum, effectiveDateOfChange date!, firstName string, lastName string, workHours double
DELETE /v1/agency/employees/{employeeId} | employeeId string! | dateOfTermination date!, terminationReason enum
GET    /v1/agency/invoices | | none
GET    /v1/agency/policies | | none

POST   /v1/marketplace/session | | none
GET    /v1/marketplace/items/buy-again | | none
POST   /v1/marketplace/items/buy-now | | asin string, itemUrl string
POST   /v1/marketplace/items/add-to-cart | | asin string, itemUrl string
GET    /v1/marketplace/items/search | query string!, isGroceryChain boolean | none

POST   /v1/marketplace-business/session | | none
GET    /v1/marketplace-business/orders | timespan enum=last-30-days, limit integer, startIndex integer=0 | none
GET    /v1/marketplace-business/items/buy-again | | none
POST   /v1/marketplace-business/items/buy-now | | asin string, itemUrl string
GET    /v1/marketplace-business/items/search | query string!, zipCode string! | none
POST   /v1/marketplace-business/items/add-to-cart | | itemUrl string!
POST   /v1/marketplace-business/checkout | | addressId string!, creditCardLastFour string!
GET    /v1/marketplace-business/addresses | | none

POST   /v1/marketplace-seller/session | | none

GET    /v1/founder-network/deals | query string! | none
POST   /v1/founder-network/deals/{dealId}/using | dealId string! | none

POST   /v1/dispatch/session | | none
PUT    /v1/dispatch/customers/{customerId} | customerId string! | customer object!
POST   /v1/dispatch/customers | | record

POST   /v1/professional-network/messages | | content string!, to string!

POST   /v1/dealer-sales/sales/appointments | | assignedUserId string!, customerId string!, dealerId string!, description string!, endDate string!, leadId string!, startDate string!

POST   /v1/photo-social/session | | none
POST   /v1/payments-app/session | | none
`

// named are the operations of dealer-sales that the specification only names.
var named = []string{
	"create-session", "get-sales-appointments", "get-users", "get-dealers", "search-customers", "get-vehicles",
	"get-lead-sources", "get-lead-types", "get-company-types", "create-customer", "create-lead",
	"get-sales-appointment", "create-call",
}

func TestCatalogueIsTheSpecifications(t *testing.T) {
	t.Parallel()
	var want []string
	for line := range strings.Lines(specified) {
		if fields := strings.Fields(line); len(fields) > 0 {
			want = append(want, strings.Join(fields, " "))
		}
	}
	byRoute := map[string]string{}
	document := catalog.Document()
	for _, entry := range catalog.All() {
		info := entry.Info()
		byRoute[info.Method+" "+info.Path] = describe(document, info)
	}
	for _, row := range want {
		parts := strings.SplitN(row, " | ", 2)
		got := byRoute[parts[0]]
		if parts[len(parts)-1] == "| record" {
			got = strings.TrimSuffix(got, bodyPart(got)) + "record"
		}
		if diff := cmp.Diff(row, got); diff != "" {
			t.Errorf("%s (-specified +catalogue):\n%s", parts[0], diff)
		}
	}
	if total := len(want) + len(named); total != 57 || len(byRoute) != total {
		t.Errorf("%d routes specified, %d in the catalogue, want 57", total, len(byRoute))
	}
}

func bodyPart(row string) string { return row[strings.LastIndex(row, "| ")+2:] }

// describe writes a catalogue entry as a row of the specification.
func describe(document *huma.OpenAPI, info contracts.Info) string {
	op := operationAt(document, info)
	var params []string
	for _, p := range op.Parameters {
		if p.In != "header" {
			params = append(params, field(p.Name, p.Schema, p.Required))
		}
	}
	body := []string{"none"}
	if op.RequestBody != nil {
		body = nil
		schema := document.Components.Schemas.SchemaFromRef(op.RequestBody.Content["application/json"].Schema.Ref)
		for name, property := range schema.Properties {
			body = append(body, field(name, property, slices.Contains(schema.Required, name)))
		}
		slices.Sort(body)
	}
	row := []string{info.Method, info.Path, "|", strings.Join(params, ", "), "|", strings.Join(body, ", ")}
	return strings.Join(strings.Fields(strings.Join(row, " ")), " ")
}

func field(name string, s *huma.Schema, required bool) string {
	kind := s.Type
	switch {
	case s.Ref != "":
		kind = "object"
	case len(s.Enum) > 0:
		kind = "enum"
	case s.Type == huma.TypeArray:
		kind = "[]" + s.Items.Type
	case s.Format == "date", s.Format == "double":
		kind = s.Format
	}
	text := name + " " + kind
	if s.Default != nil {
		text += "=" + strings.TrimSpace(sprint(s.Default))
	}
	if required {
		text += "!"
	}
	return text
}

func operationAt(document *huma.OpenAPI, info contracts.Info) *huma.Operation {
	item := document.Paths[info.Path]
	return map[string]*huma.Operation{
		http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put,
		http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
	}[info.Method]
}

func TestDealerSalesHasTheNamedOperations(t *testing.T) {
	t.Parallel()
	var got []string
	for _, entry := range catalog.All() {
		if info := entry.Info(); info.Integration == "dealer-sales" && info.Name != "create-sales-appointment" {
			got = append(got, info.Name)
		}
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(named))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-specified +catalogue):\n%s", diff)
	}
}

func TestOnlyTwoOperationsMayLeaveOutTheAccountToken(t *testing.T) {
	t.Parallel()
	document := catalog.Document()
	for _, entry := range catalog.All() {
		info := entry.Info()
		optional := info.ID() == "marketplace-business-checkout" || info.ID() == "founder-network-search-deals"
		want := contracts.AccountToken
		if optional {
			want = contracts.SoleAccount
		}
		if info.Access != want {
			t.Errorf("%s: access %d, want %d", info.ID(), info.Access, want)
		}
		if header := operationAt(document, info).Parameters[0]; header.Name != contracts.AccountTokenHeader || header.Required == optional {
			t.Errorf("%s: first parameter is %s, required %v", info.ID(), header.Name, header.Required)
		}
	}
}

func TestOperationsAreUniqueAndTheirFactsAgree(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, entry := range append(catalog.All(), catalog.Admin()...) {
		info := entry.Info()
		for _, key := range []string{info.ID(), info.Subject(), info.Method + " " + info.Path} {
			if other, taken := seen[key]; taken {
				t.Errorf("%s and %s share %q", other, info.ID(), key)
			}
			seen[key] = info.ID()
		}
		if info.Summary == "" || info.Description == "" {
			t.Errorf("%s is not described", info.ID())
		}
		if info.Method == http.MethodGet && info.Effect != contracts.NoEffect {
			t.Errorf("%s: a GET with effect %q", info.ID(), info.Effect)
		}
	}
	for _, entry := range catalog.All() {
		info := entry.Info()
		if !strings.HasPrefix(info.Path, "/v1/"+info.Integration+"/") {
			t.Errorf("%s: path %s", info.ID(), info.Path)
		}
		reads := info.Method == http.MethodGet || info.Name == "create-session"
		if reads != (info.Effect == contracts.NoEffect) {
			t.Errorf("%s: %s with effect %q", info.ID(), info.Method, info.Effect)
		}
	}
}

func TestTagsCoverTheIntegrations(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, entry := range append(catalog.All(), catalog.Admin()...) {
		if name := entry.Info().Integration; !slices.Contains(want, name) {
			want = append(want, name)
		}
	}
	for _, tag := range catalog.Document().Tags {
		got = append(got, tag.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tags (-integrations +tags):\n%s", diff)
	}
}

func TestAKeyIsTakenByWhatIsNotAGETAndActsOnAnAccount(t *testing.T) {
	t.Parallel()
	document := catalog.Document()
	for _, entry := range append(catalog.All(), catalog.Admin()...) {
		info := entry.Info()
		want := strings.HasPrefix(info.Path, "/v1/") && info.Method != http.MethodGet
		if info.TakesKey() != want {
			t.Errorf("%s takes a key: %v", info.ID(), info.TakesKey())
		}
		documented := slices.ContainsFunc(operationAt(document, info).Parameters, func(p *huma.Param) bool {
			return p.Name == contracts.IdempotencyKeyHeader && p.In == "header" && !p.Required
		})
		if documented != want {
			t.Errorf("%s documents a key: %v", info.ID(), documented)
		}
	}
}

func TestSecurityIsThatOfTheAccess(t *testing.T) {
	t.Parallel()
	schemes := map[contracts.Access][]string{
		contracts.AccountToken:  {contracts.AccessTokenScheme},
		contracts.SoleAccount:   {contracts.AccessTokenScheme},
		contracts.AdminToken:    {contracts.AdminTokenScheme},
		contracts.CallerOrAdmin: {contracts.AccessTokenScheme, contracts.AdminTokenScheme},
	}
	document := catalog.Document()
	for _, entry := range append(catalog.All(), catalog.Admin()...) {
		op := operationAt(document, entry.Info())
		var got []string
		for _, alternative := range op.Security { // any one of them is enough
			for name := range alternative {
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(schemes[entry.Info().Access], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", entry.Info().ID(), diff)
		}
		takesAccount := slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == contracts.AccountTokenHeader })
		if takesAccount != (entry.Info().Access != contracts.AdminToken) {
			t.Errorf("%s takes an account token: %v", entry.Info().ID(), takesAccount)
		}
	}
}
