package jsonschema_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func TestSchemasAcceptEverySiteOfTheRepository(t *testing.T) {
	t.Parallel()
	schema := compile(t)
	for _, folder := range folders(t) {
		for name, data := range filesOf(t, folder) {
			if err := schema.of(name).Validate(decode(t, name, data)); err != nil {
				t.Errorf("%s/%s: %v", folder, name, err)
			}
		}
	}
}

// TestSchemasAcceptWhatConforms holds the fixtures of the conformance suite
// that load against the schemas.
func TestSchemasAcceptWhatConforms(t *testing.T) {
	t.Parallel()
	schema := compile(t)
	tried := 0
	err := filepath.WalkDir("../testdata/conformance", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".yaml" {
			return err
		}
		files := conforming(t, name)
		for file, value := range files {
			tried++
			if err := schema.of(file).Validate(value); err != nil {
				t.Errorf("%s: %s: %v", name, file, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if tried == 0 {
		t.Error("there is no fixture")
	}
}

// conforming makes the files of a fixture's folder; none of one that shows a
// fault.
func conforming(t *testing.T, name string) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Site   map[string]any
		Flows  map[string]any
		Steps  any
		Flow   any
		Faults []string
	}
	text := strings.NewReplacer("BASE", "http://127.0.0.1:1", "OTHER", "http://localhost:2", "ELSEWHERE", "http://127.0.0.2:3").Replace(string(raw))
	if err := yaml.Unmarshal([]byte(text), &fixture); err != nil || fixture.Faults != nil {
		return nil // the suite itself tells of a fixture that is broken
	}
	files := map[string]any{}
	add := func(file string, value any) {
		if text, is := value.(string); is { // a whole file, as it is written
			files[file] = decode(t, file, []byte(text))
			return
		}
		data, err := yaml.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		files[file] = decode(t, "x.yaml", data)
	}
	site := map[string]any{"site": "fixture", "integration": "marketplace", "baseUrl": "http://127.0.0.1:1", "operations": map[string]any{}}
	for key, value := range fixture.Site {
		site[key] = value
	}
	add("site.yaml", site)
	for file, value := range fixture.Flows {
		add(file, value)
	}
	if fixture.Flow != nil {
		add("op.yaml", fixture.Flow)
	}
	if fixture.Steps != nil {
		add("op.yaml", map[string]any{"steps": fixture.Steps})
	}
	if export, err := os.ReadFile(strings.TrimSuffix(name, ".yaml") + ".flow.json"); err == nil {
		files["op.json"] = decode(t, "op.json", export)
	}
	return files
}
