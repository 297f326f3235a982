package catalog

import (
	_ "embed" // of the document
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"integration.gateway/contracts"
)

// Version is the version of the interface, as its description carries it.
const Version = "1.0.0"

const introduction = `One HTTP API for many third-party applications. Each operation acts on an end user's linked account at an application, through the application's own web pages.

Every call carries ` + "`Authorization: Bearer <access token>`" + `, which says who calls, and ` + "`X-Account-Token`" + `, which selects the end user's account. Every answer carries ` + "`Command-Outcome`" + `, and ` + "`Command-Id`" + ` where the command is known.

Give each request that is not a GET an ` + "`Idempotency-Key`" + `. When its answer does not arrive, send it again with the same key: nothing is done twice, and the answer is that of the first time. The text of each error says whether to send the request again, with which key and after how long. What became of a command stands at ` + "`/admin/v1/commands/{commandId}`" + `, also for the caller whose it is. When it is in doubt, whether its effect happened is not known yet; until that is settled, further requests with the same kind of effect for that user are refused, and orders too while a cart is in doubt. Where the application showed no effect, it may still be late: for a day it is looked at again, and the same request is refused unless it comes with ` + "`Accept-Duplicate-Risk`" + ` and that command's id.

The statuses are 200, 400, 401, 404 and 500; the body of an error is ` + "`{\"error\": \"…\"}`" + `. Query parameters and body fields that are not documented are refused. A list in a query repeats its name, as in ` + "`providerIds=7&providerIds=9`" + `; ` + "`providerIds=7,9`" + ` is accepted too. Optional fields that have no value are left out of results, and lists are never null.

Fields and parameters that are marked *Sensitive* (` + "`x-sensitive: true`" + `) are personal data or secrets. The event log holds them, and all that stands within them, only sealed with a key of the account's own; when the account is erased the key is destroyed, and nobody can read them any more.`

// NewAPI makes an API without operations on an HTTP adapter: its document,
// its schemas and its JSON format. It serves no documents by itself.
func NewAPI(adapter huma.Adapter) huma.API {
	return huma.NewAPI(huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "Integration Gateway API",
				Version:     Version,
				Description: introduction,
				License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Tags: tags(),
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", schemaNamer()),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					contracts.AccessTokenScheme: {Type: "http", Scheme: "bearer", Description: "The caller's access token."},
					contracts.AdminTokenScheme:  {Type: "http", Scheme: "bearer", Description: "The operator's token."},
				},
			},
			OnAddOperation: []huma.AddOpFunc{dropScalarStyles},
		},
		Formats:                      map[string]huma.Format{"application/json": jsonFormat},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	}, adapter)
}

// Mount adds all operations, the operator's included, to api.
func Mount(api huma.API, call contracts.Call) {
	for _, entry := range All() {
		entry.Mount(api, call)
	}
	for _, entry := range Admin() {
		entry.Mount(api, call)
	}
}

// Document returns the API document of all operations.
func Document() *huma.OpenAPI {
	api := NewAPI(humago.NewAdapter(http.NewServeMux(), ""))
	Mount(api, nil)
	document := api.OpenAPI()
	markSensitive(document)
	for _, schema := range document.Components.Schemas.Map() {
		dropPatternDescriptions(schema)
	}
	for _, path := range document.Paths {
		for _, op := range []*huma.Operation{path.Get, path.Post, path.Put, path.Patch, path.Delete} {
			if op == nil {
				continue
			}
			for _, param := range op.Parameters {
				dropPatternDescriptions(param.Schema)
			}
		}
	}
	return document
}

// dropPatternDescriptions leaves out a keyword of huma's own, which serves
// error texts and is not OpenAPI.
func dropPatternDescriptions(s *huma.Schema) {
	if s == nil {
		return
	}
	s.PatternDescription = ""
	dropPatternDescriptions(s.Items)
	for _, property := range s.Properties {
		dropPatternDescriptions(property)
	}
}

// jsonFormat is huma's own, with errors that name a place and never a value.
var jsonFormat = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(data []byte, v any) error {
		err := json.Unmarshal(data, v)
		var syntax *json.SyntaxError
		var mismatch *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			return fmt.Errorf("not valid JSON at byte %d", syntax.Offset)
		case errors.As(err, &mismatch) && mismatch.Field != "":
			return fmt.Errorf("the value of %s does not fit", mismatch.Field)
		case err != nil:
			return errors.New("a value does not fit")
		}
		return nil
	},
}

// schemaNamer names schemas by integration and type, since several
// integrations have a Customer or an Order. Types of package contracts, which
// all share, keep their own names.
func schemaNamer() func(reflect.Type, string) string {
	prefixes := map[string]string{}
	for _, entry := range append(All(), Admin()...) {
		integration := entry.Info().Integration
		prefixes[strings.ReplaceAll(integration, "-", "")] = camelCase(integration)
	}
	return func(t reflect.Type, hint string) string {
		name := huma.DefaultSchemaNamer(t, hint)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		pkg := t.PkgPath()
		return prefixes[pkg[strings.LastIndex(pkg, "/")+1:]] + name
	}
}

func camelCase(kebab string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(kebab, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// dropScalarStyles leaves out explode where it means nothing: huma writes it
// for every query parameter.
func dropScalarStyles(_ *huma.OpenAPI, op *huma.Operation) {
	for _, p := range op.Parameters {
		if p.Schema != nil && p.Schema.Type != huma.TypeArray {
			p.Explode = nil
		}
	}
}

// tags describes the integrations, in the order of the catalogue.
func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: "clinic-records", Description: "Records and scheduling application of an aesthetic clinic business."},
		{Name: "agency", Description: "Insurance agency management application."},
		{Name: "marketplace", Description: "Online retail marketplace. Ordering needs a default address and a default payment method at the marketplace."},
		{Name: "marketplace-business", Description: "Business edition of the marketplace. Ordering needs a default address and a default payment method at the marketplace."},
		{Name: "marketplace-seller", Description: "Seller edition of the marketplace."},
		{Name: "founder-network", Description: "Deals network for startup founders."},
		{Name: "dispatch", Description: "Dispatch and field-service application."},
		{Name: "professional-network", Description: "Professional social network."},
		{Name: "dealer-sales", Description: "Vehicle dealer sales application."},
		{Name: "photo-social", Description: "Photo-sharing social network."},
		{Name: "payments-app", Description: "Peer-to-peer payments application."},
		{Name: "accounts", Description: "The operator's: callers, their access tokens and linked accounts. Needs the admin token."},
		{Name: "audit", Description: "The operator's: what the event log tells, its state and its proof. Needs the admin token; a caller may look at its own commands with its access token."},
	}
}

//go:embed openapi.gen.yaml
var committedOpenAPI string

// OpenAPI returns the API document, openapi.gen.yaml.
func OpenAPI() string { return committedOpenAPI }

// GenerateOpenAPI writes that document anew, out of the catalogue.
func GenerateOpenAPI() ([]byte, error) {
	document, err := Document().YAML()
	if err != nil {
		return nil, fmt.Errorf("writing the API document: %w", err)
	}
	return append([]byte("# Generated by go generate from package contracts. Do not edit.\n"), document...), nil
}
