package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"integration.gateway/contracts/catalog"
)

func sprint(v any) string { return fmt.Sprint(v) }

func TestCommittedDocumentIsFresh(t *testing.T) {
	t.Parallel()
	want, err := catalog.GenerateOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != catalog.OpenAPI() {
		t.Error("openapi.gen.yaml is stale: run go generate ./... in contracts")
	}
}

func TestDocumentIsValidOpenAPI(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("openapi.gen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(data); err != nil {
		t.Error(err)
	}
	broken := bytes.Replace(data, []byte("example:\n              asin: B0CX23V2ZK"), []byte("example:\n              asin: 12"), 1)
	if err := validate(broken); err == nil {
		t.Error("the validator accepts an example that does not fit its schema")
	}
	broken = bytes.Replace(data, []byte("title: Integration Gateway API"), []byte("titel: Integration Gateway API"), 1)
	if err := validate(broken); err == nil {
		t.Error("the validator accepts a document without a title")
	}
}

// validate checks a document, its references and its examples.
func validate(data []byte) error {
	loader := openapi3.NewLoader()
	document, err := loader.LoadFromData(data)
	if err != nil {
		return fmt.Errorf("loading: %w", err)
	}
	if !document.IsOpenAPI31OrLater() {
		return fmt.Errorf("version %s", document.OpenAPI)
	}
	return document.Validate(context.Background(), openapi3.EnableExamplesValidation())
}

func TestDocumentSaysOnlyWhatTheGatewayAnswers(t *testing.T) {
	t.Parallel()
	document := catalog.Document()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, unwanted := range []string{`"422"`, "$schema", "problem+json", `["array","null"]`, "ErrorModel"} {
		if strings.Contains(string(data), unwanted) {
			t.Errorf("the document holds %s", unwanted)
		}
	}
	for _, entry := range catalog.All() {
		responses := operationAt(document, entry.Info()).Responses
		for _, status := range []string{"200", "400", "401", "404", "500"} {
			if responses[status] == nil {
				t.Errorf("%s: no response %s", entry.Info().ID(), status)
			}
		}
		if len(responses) != 5 {
			t.Errorf("%s: %d responses", entry.Info().ID(), len(responses))
		}
		if responses["200"].Content["application/json"].Example == nil {
			t.Errorf("%s: no example result", entry.Info().ID())
		}
	}
}
