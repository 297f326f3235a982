package jsonschema_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	schemas "integration.gateway/pkg/flow/jsonschema"
)

// schemaOf is the compiled schema of a file of a site's folder.
type schemaOf struct{ site, flow *jsonschema.Schema }

func compile(t testing.TB) schemaOf {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	one := func(name string, raw []byte) *jsonschema.Schema {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource(name, document); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile(name)
		if err != nil {
			t.Fatal(err)
		}
		return compiled
	}
	return schemaOf{one("site.schema.json", schemas.Site), one("flow.schema.json", schemas.Flow)}
}

func (s schemaOf) of(file string) *jsonschema.Schema {
	if file == "site.yaml" {
		return s.site
	}
	return s.flow
}

// decode reads a file of a folder, or a text within one, as the validator
// wants it.
func decode(t testing.TB, name string, data []byte) any {
	t.Helper()
	if path.Ext(name) != ".json" {
		var err error
		if data, err = yaml.YAMLToJSON(data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

// keysOf gathers the names of all keys that a schema knows.
func keysOf(t testing.TB, raw []byte) map[string]bool {
	t.Helper()
	keys := map[string]bool{}
	visit(decode(t, "x.json", raw), "", func(path string, value any, _ func(any) any) {
		object, is := value.(map[string]any)
		if !is || !strings.HasSuffix(path, ".properties") || isKey(path) {
			return
		}
		for name := range object {
			keys[name] = true
		}
	})
	return keys
}

// isKey tells whether the last part of a path, which is "properties", is a key
// that the schema describes and not the word of JSON Schema.
func isKey(path string) bool {
	n := 0
	for strings.HasSuffix(path, ".properties") {
		path, n = strings.TrimSuffix(path, ".properties"), n+1
	}
	return n%2 == 0
}

// root is the repository's own.
const root = "../../.."

// folders finds the sites that the repository has.
func folders(t testing.TB) []string {
	t.Helper()
	var found []string
	for _, under := range []string{root + "/services", root + "/pkg/flow/jsonschema"} {
		err := filepath.WalkDir(under, func(name string, _ fs.DirEntry, err error) error {
			if filepath.Base(name) == "site.yaml" {
				found = append(found, filepath.Dir(name))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 2 {
		t.Fatalf("the sites were not found: %v", found)
	}
	return found
}

// filesOf reads the files of a folder that Load would read as YAML or JSON.
func filesOf(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if !slices.Contains([]string{".json", ".yaml", ".yml"}, path.Ext(e.Name())) {
			continue
		}
		if files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
