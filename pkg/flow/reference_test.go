package flow_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/jsonschema"
	"integration.gateway/pkg/flow/placeholder"
)

// TestReferenceAndSchemasNameEveryWord holds the lists of the reference and of
// the schemas against the code's own.
func TestReferenceAndSchemasNameEveryWord(t *testing.T) {
	t.Parallel()
	reference := readReference(t)
	site, steps := schemaTree(t, jsonschema.Site), schemaTree(t, jsonschema.Flow)
	alternatives, _ := steps.at("$defs", "step")["oneOf"].([]any)
	var types, customs []string
	for _, alternative := range alternatives {
		name := strings.TrimPrefix(tree(alternative.(map[string]any)).text("$ref"), "#/$defs/")
		switch properties := steps.at("$defs", name, "properties"); properties.at("type")["const"] {
		case name:
			types = append(types, name)
		case "customStep":
			customs = append(customs, properties.at("name").text("const"))
		default:
			t.Errorf("%s is neither a step nor a custom step", name)
		}
	}
	field := schemaTree(t, jsonschema.Flow).at("$defs", "field")["oneOf"].([]any)[1].(map[string]any)
	for name, c := range map[string]struct{ code, reference, schema []string }{
		"step types":      {append(flow.StepTypes(), "customStep"), reference.words("## Flows and steps", "type"), append(types, "customStep")},
		"custom steps":    {flow.CustomSteps(), reference.words("## Custom steps", "name"), customs},
		"kinds of fields": {flow.FieldKinds, reference.words("## Fields", "kind"), tree(field).at("properties", "as").texts("enum")},
		"filters":         {placeholder.Filters(), reference.words("### Filters", "filter"), nil},
		"conditions of when": {
			flow.WhenConditions, reference.words("### when", "condition"),
			slices.DeleteFunc(steps.at("$defs", "when", "properties", "parameters", "properties").keys(), func(key string) bool {
				return slices.Contains([]string{"within", "then", "else"}, key)
			}),
		},
		"outcomes": {flow.Outcomes, reference.words("## Outcomes", "outcome"), steps.at("$defs", "outcome").texts("enum")},
		"keys of site.yaml": {
			site.at("properties").keys(), reference.words("## site.yaml", "key"), site.at("properties").keys(),
		},
		"keys of signIn": {
			site.at("properties", "signIn", "properties").keys(), reference.words("## Sign-in and its proof", "key"), nil,
		},
		"keys of fetch": {
			steps.at("$defs", "fetch", "properties").keys(), reference.words("## fetch: the JSON behind the page", "key of `fetch`"), nil,
		},
		"parameters of extract": {
			steps.at("$defs", "extract", "properties", "parameters", "properties").keys(), reference.words("### extract", "parameter"), nil,
		},
		"parameters of repeat": {
			steps.at("$defs", "repeat", "properties", "parameters", "properties").keys(), reference.words("### repeat", "parameter"), nil,
		},
	} {
		slices.Sort(c.code)
		slices.Sort(c.reference)
		slices.Sort(c.schema)
		if diff := cmp.Diff(c.code, c.reference); diff != "" {
			t.Errorf("%s: the reference is not the code:\n%s", name, diff)
		}
		if diff := cmp.Diff(c.code, c.schema); diff != "" && c.schema != nil {
			t.Errorf("%s: the schema is not the code:\n%s", name, diff)
		}
	}
	for _, name := range flow.Namespaces {
		if !strings.Contains(string(reference), "{{ "+name+".") {
			t.Errorf("the reference does not tell of {{ %s.… }}", name)
		}
	}
}

// asked is where the readers of the format ask for a key.
var asked = regexp.MustCompile(`\.(?:take|need|text|needText|bool|number|count|millis|oneOf|texts|offset|optionalCondition)\((?:o, )?"([A-Za-z]+)"`)

// TestSchemasKnowTheKeysThatAreRead compares the keys that the code asks for
// with those of the schemas, and the schemas' with the reference.
func TestSchemasKnowTheKeysThatAreRead(t *testing.T) {
	t.Parallel()
	read := map[string]bool{"type": true, "name": true, "parameters": true}
	for _, name := range slices.Concat(flow.WhenConditions, flow.SiteConditions) {
		read[name] = true
	}
	sources, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if name := source.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range asked.FindAllStringSubmatch(string(text), -1) {
				read[match[1]] = true
			}
		}
	}
	known := map[string]bool{}
	for _, raw := range [][]byte{jsonschema.Site, jsonschema.Flow} {
		schemaTree(t, raw).gather(known)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(read)), slices.Sorted(maps.Keys(known))); diff != "" {
		t.Errorf("keys that the code reads (-) and the schemas have (+):\n%s", diff)
	}
	reference := string(readReference(t))
	for name := range known {
		if !regexp.MustCompile("[`{ ]" + name + "[`:]").MatchString(reference) {
			t.Errorf("the reference does not name the key %q", name)
		}
	}
}

// reference is services/SITES.md.
type reference string

func readReference(t *testing.T) reference {
	t.Helper()
	text, err := os.ReadFile("../../services/SITES.md")
	if err != nil {
		t.Fatal(err)
	}
	return reference(text)
}

var firstWord = regexp.MustCompile("`([A-Za-z-]+)[^`]*`")

// words lists what the first column of a table names: of the one under a
// heading whose first column has a title.
func (r reference) words(heading, title string) []string {
	_, section, _ := strings.Cut(string(r), "\n"+heading+"\n")
	_, table, _ := strings.Cut(section, "\n| "+title+" |")
	table, _, _ = strings.Cut(table, "\n\n")
	var words []string
	for i, row := range strings.Split(table, "\n") {
		if i < 2 { // the titles and the line below them
			continue
		}
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for _, match := range firstWord.FindAllStringSubmatch(cell, -1) {
			words = append(words, match[1])
		}
	}
	return words
}

// tree is a part of a schema.
type tree map[string]any

func schemaTree(t *testing.T, raw []byte) tree {
	t.Helper()
	var whole tree
	if err := json.Unmarshal(raw, &whole); err != nil {
		t.Fatal(err)
	}
	return whole
}

func (t tree) at(path ...string) tree {
	for _, name := range path {
		next, _ := t[name].(map[string]any)
		t = next
	}
	return t
}

func (t tree) text(key string) string {
	text, _ := t[key].(string)
	return text
}

func (t tree) texts(key string) []string {
	var texts []string
	list, _ := t[key].([]any)
	for _, item := range list {
		text, _ := item.(string)
		texts = append(texts, text)
	}
	return texts
}

func (t tree) keys() []string { return slices.Sorted(maps.Keys(t)) }

// gather collects the names of all keys that a schema describes.
func (t tree) gather(known map[string]bool) {
	for word, value := range t {
		object, _ := value.(map[string]any)
		switch word {
		case "properties", "$defs":
			for name, inner := range object {
				if word == "properties" {
					known[name] = true
				}
				schema, _ := inner.(map[string]any)
				tree(schema).gather(known)
			}
		case "oneOf", "anyOf", "allOf":
			list, _ := value.([]any)
			for _, item := range list {
				schema, _ := item.(map[string]any)
				tree(schema).gather(known)
			}
		case "patternProperties":
			for _, inner := range object {
				schema, _ := inner.(map[string]any)
				tree(schema).gather(known)
			}
		default:
			tree(object).gather(known)
		}
	}
}
