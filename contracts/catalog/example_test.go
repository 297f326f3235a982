package catalog_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
)

func TestExamplesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	api := catalog.NewAPI(humago.NewAdapter(http.NewServeMux(), ""))
	catalog.Mount(api, nil)
	for _, entry := range append(catalog.All(), catalog.Admin()...) {
		info := entry.Info()
		req, res := entry.New()
		contracts.FillExample(req)
		contracts.FillExample(res)
		op := operationAt(api.OpenAPI(), info)

		check(t, api, info.ID()+" result", op.Responses["200"].Content["application/json"].Schema, res)
		if v, ok := req.(contracts.Validator); ok {
			if err := v.Validate(); err != nil {
				t.Errorf("%s request: %v", info.ID(), err)
			}
		}
		fields := object(t, req)
		for _, p := range op.Parameters {
			if _, given := fields[p.Name]; given || p.Required && p.In != "header" {
				check(t, api, info.ID()+" parameter "+p.Name, p.Schema, fields[p.Name])
			}
		}
		if op.RequestBody != nil {
			check(t, api, info.ID()+" body", op.RequestBody.Content["application/json"].Schema, fields["body"])
		}
	}
}

// A whole example leaves no field out, so that it shows all there is.
func TestExamplesAreWhole(t *testing.T) {
	t.Parallel()
	for _, entry := range catalog.All() {
		req, res := entry.New()
		for _, v := range []any{req, res} {
			contracts.FillExample(v)
			for _, p := range walk(nil, entry.Info().ID()+" ", reflect.TypeOf(v).Elem(), false) {
				if p.kind().Kind() == reflect.String && p.field.Tag.Get("example") == "" {
					t.Errorf("%s: an empty example", p.path)
				}
			}
		}
	}
}

// check validates a value as the other side of the wire sees it.
func check(t *testing.T, api huma.API, what string, schema *huma.Schema, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var wire any
	if err := json.Unmarshal(data, &wire); err != nil {
		t.Fatal(err)
	}
	result := huma.ValidateResult{}
	huma.Validate(api.OpenAPI().Components.Schemas, schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, wire, &result)
	for _, err := range result.Errors {
		t.Errorf("%s: %v", what, err)
	}
}

func object(t *testing.T, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}
