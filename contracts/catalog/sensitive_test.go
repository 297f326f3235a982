package catalog_test

import (
	"bytes"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
)

// leaf is a field that holds a value, with the way to it and whether it, or
// something that it stands within, is marked sensitive.
type leaf struct {
	path   string // such as "agency-create-employee request body.firstName"
	name   string
	sealed bool
}

// leaves returns the fields of all requests and results.
func leaves(entries []contracts.Entry) []leaf {
	var all []leaf
	for _, entry := range entries {
		req, res := entry.New()
		all = appendLeaves(all, entry.Info().ID()+" request ", reflect.TypeOf(req).Elem(), false)
		all = appendLeaves(all, entry.Info().ID()+" result ", reflect.TypeOf(res).Elem(), false)
	}
	return all
}

func appendLeaves(all []leaf, prefix string, t reflect.Type, sealed bool) []leaf {
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || len(f.Index) > 1 && !t.FieldByIndex(f.Index[:1]).Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		sealed := sealed || f.Tag.Get("sensitive") == "true"
		kind := f.Type
		for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8 {
			kind = kind.Elem()
		}
		if kind.Kind() == reflect.Struct && kind != reflect.TypeFor[time.Time]() {
			all = appendLeaves(all, prefix+name+".", kind, sealed)
		} else {
			all = append(all, leaf{prefix + name, name, sealed})
		}
	}
	return all
}

// personal matches names of fields that look like personal data or a secret.
var personal = regexp.MustCompile(`(?i)name|e-?mail|phone|fax|^number$|address|^line[12]$|city|region|zip|postal|country|birth|gender|ssn|` +
	`salary$|earnings$|premium|balance|payment|card|total|subtotal|account(id|number)|(client|customer|employee|user|provider|patient|member|address|deal)ids?$|` +
	`note|comment|message|content|reason|description|allerg|medical|diagnos|insur|policynumber|licen[cs]e|vin$|` +
	`query|^to$|title|asin|itemurl|tracking|purchaseorder|token$|password|secret|username|code$|wsurl|postsigninurl|debugger|invoiceurl|documenturl|redemption|customerurl`)

// harmless are the fields whose names look personal and which are not, each
// group with its reason.
var harmless = map[string][]string{
	"how many rows there are, not an amount of money": {
		"clinic-records-get-client-appointments result total",
		"clinic-records-get-clients result total", "clinic-records-get-price-list result total",
		"clinic-records-get-product-inventory result total", "dealer-sales-get-sales-appointments result total",
		"dealer-sales-get-users result total", "dealer-sales-get-vehicles result total",
		"dealer-sales-search-customers result total", "marketplace-business-get-orders result total",
	},
	"the business's own catalogue, the same for everybody": {
		"clinic-records-get-appointment-types result appointmentTypes.name", "clinic-records-get-appointment-types result appointmentTypes.description",
		"clinic-records-get-price-list result items.name", "clinic-records-get-product-inventory result items.name",
		"clinic-records-get-product result name", "clinic-records-get-product result description", "clinic-records-get-product result supplierName",
		"dealer-sales-get-company-types result companyTypes.name", "dealer-sales-get-lead-sources result leadSources.name",
		"dealer-sales-get-lead-types result leadTypes.name", "clinic-records-get-product result barcode",
	},
	"a business place that the application shows to everybody": {
		"clinic-records-get-clinics result clinics.name", "clinic-records-get-clinics result clinics.phone", "clinic-records-get-clinics result clinics.email",
		"dealer-sales-get-dealers result dealers.name", "dealer-sales-get-dealers result dealers.phone",
	},
	"a room of the clinic": {
		"clinic-records-get-appointments result providers.appointments.roomName", "clinic-records-get-availability result providers.slots.roomName",
		"clinic-records-get-client-appointments result appointments.roomName", "clinic-records-create-appointment result roomName",
	},
}

func TestFieldsThatLookPersonalAreSensitive(t *testing.T) {
	t.Parallel()
	unused := slices.Concat(slices.Collect(maps.Values(harmless))...)
	for _, f := range leaves(catalog.All()) {
		if f.sealed || !personal.MatchString(f.name) {
			continue
		}
		if i := slices.Index(unused, f.path); i >= 0 {
			unused = slices.Delete(unused, i, i+1)
			continue
		}
		t.Errorf(`%s looks personal: mark it sensitive:"true", or list it as harmless with a reason`, f.path)
	}
	for _, path := range unused {
		t.Errorf("%s is listed as harmless, but is sensitive or not there", path)
	}
}

func TestCommittedListOfSensitiveFieldsIsFresh(t *testing.T) {
	t.Parallel()
	got, err := os.ReadFile("sensitive.gen.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(catalog.SensitiveText(), got) {
		t.Error("what is sensitive has changed: run go generate ./... in contracts, and look at the difference in sensitive.gen.txt")
	}
}

// The document says of each value whether it is sensitive exactly as the tags
// do: what a result's sealed form hides is what its reader was told.
func TestDocumentMarksTheSensitiveFields(t *testing.T) {
	t.Parallel()
	document := catalog.Document()
	for _, entry := range append(catalog.All(), catalog.Admin()...) {
		op := operationAt(document, entry.Info())
		var got []leaf
		for _, p := range op.Parameters {
			if p.In != "header" {
				sealed := p.Extensions["x-sensitive"] == true
				if sealed != strings.HasSuffix(p.Description, "*Sensitive.*") {
					t.Errorf("%s %s: description %q", entry.Info().ID(), p.Name, p.Description)
				}
				got = append(got, leaf{entry.Info().ID() + " request " + p.Name, p.Name, sealed})
			}
		}
		if op.RequestBody != nil {
			got = schemaLeaves(got, document, entry.Info().ID()+" request body.", op.RequestBody.Content["application/json"].Schema, false)
		}
		got = schemaLeaves(got, document, entry.Info().ID()+" result ", op.Responses["200"].Content["application/json"].Schema, false)
		shown := map[string]bool{}
		for _, f := range got {
			shown[f.path] = f.sealed
		}
		for _, f := range leaves([]contracts.Entry{entry}) {
			if sealed, there := shown[f.path]; !there || sealed != f.sealed {
				t.Errorf("%s: sensitive %v, the document shows it: %v, as sensitive: %v", f.path, f.sealed, there, sealed)
			}
		}
	}
}

// schemaLeaves is appendLeaves for the document.
func schemaLeaves(all []leaf, document *huma.OpenAPI, prefix string, s *huma.Schema, sealed bool) []leaf {
	if s.Ref != "" {
		s = document.Components.Schemas.SchemaFromRef(s.Ref)
	}
	if s.Type == huma.TypeArray {
		return schemaLeaves(all, document, prefix, s.Items, sealed)
	}
	if len(s.Properties) == 0 {
		path := strings.TrimSuffix(prefix, ".")
		return append(all, leaf{path, path[strings.LastIndexAny(path, ". ")+1:], sealed})
	}
	for name, property := range s.Properties {
		all = schemaLeaves(all, document, prefix+name+".", property, sealed || property.Extensions["x-sensitive"] == true)
	}
	return all
}
