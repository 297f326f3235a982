package jsonschema_test

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"integration.gateway/pkg/flow"
	schemas "integration.gateway/pkg/flow/jsonschema"
)

// TestSchemasAndLoaderAgree breaks the specimen, which has every key, in many
// ways. What Load accepts the schemas accept; what Load refuses they refuse,
// unless it is of what they say that they do not know.
func TestSchemasAndLoaderAgree(t *testing.T) {
	t.Parallel()
	schema := compile(t)
	files := filesOf(t, "testdata/specimen")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := decode(t, name, files[name])
			if faults := load(t, files, name, whole); faults != nil {
				t.Fatalf("the file is not without fault: %v", faults)
			}
			differences := 0
			for part, content := range parts(t, files, name, whole) {
				for what, broken := range mutations(content) {
					faults := load(t, files, name, broken)
					refusal := schema.of(name).Validate(broken)
					if refusal != nil && faults == nil && !installing.MatchString(what) {
						t.Errorf("%s: %s: Load accepts it, the schema does not: %v", part, what, refusal)
						differences++
					}
					if refusal == nil && faults != nil && !slices.ContainsFunc(faults, beyond) {
						t.Errorf("%s: %s: the schema accepts it, Load does not: %v", part, what, faults)
						differences++
					}
					if differences == 20 {
						t.Fatal("and so on")
					}
				}
			}
		})
	}
}

// parts takes the steps out of a flow that are without fault by themselves too:
// one step is read and held against the schema much faster than all of them.
func parts(t *testing.T, files map[string][]byte, name string, whole any) map[string]any {
	t.Helper()
	flow := whole.(map[string]any)
	steps, _ := flow["steps"].([]any)
	taken, rest := map[string]any{}, []any{}
	for i, step := range steps {
		if alone := (map[string]any{"steps": []any{step}}); load(t, files, name, alone) == nil {
			taken["step "+strconv.Itoa(i+1)] = alone
		} else {
			rest = append(rest, step)
		}
	}
	without := maps.Clone(flow)
	without["steps"] = rest
	if steps == nil || load(t, files, name, without) != nil { // what is left needs what was taken out
		return map[string]any{"the file": whole}
	}
	taken["what is left"] = without
	return taken
}

// unknown are the faults that a schema of one file cannot find.
var unknown = regexp.MustCompile(strings.Join([]string{
	`placeholder \{\{|\{\{ .* \}\}`,                        // what stands in a placeholder, and where
	`there is no such file|includes itself`,                // other files
	`effect|reconcile|sign-in flow`,                        // which flow is played when, and where an effect may stand
	`pattern|timezone|decimal and group`,                   // dates and times, numbers
	`missing closing|error parsing regexp|body is no JSON`, // regular expressions
	`JSONPath|\$`,                               // paths
	`unknown key "[^"]*"; a key is`, `target "`, // keys of the keyboard, pages
	`distinct names|name a field|name a list|remembered by no step`, // names
	`says nothing to look for`,                                      // selectors
	`header|GET|HEAD`,                                               // what browsers and HTTP allow
	`the base URL|an origin|origin "`,                               // addresses
}, "|"))

// installing are the keys that are held against the folder's name when a site
// is installed, and not by Load.
var installing = regexp.MustCompile(`^\.(site|integration) as `)

func beyond(f flow.Fault) bool { return unknown.MatchString(f.Text) }

// operation are the files of the specimen that are flows of an operation.
var operation = regexp.MustCompile(`^(page|reading|choices|rounds|buy-now|included)\.yaml$`)

// load reads a folder in which one file has another content. The other flows are
// empty, which is faster, but for the one that must say what it found out.
func load(t *testing.T, files map[string][]byte, name string, content any) flow.Faults {
	t.Helper()
	data, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{"site.yaml": &fstest.MapFile{Data: files["site.yaml"]}}
	if operation.MatchString(name) { // of which there is no need to read the others
		folder["site.yaml"].Data = []byte("{site: x, integration: x, baseUrl: 'https://x.example', operations: {op: {flow: " + name + "}}}")
	}
	for other := range files {
		switch other {
		case "site.yaml":
		case "buy-now.reconcile.yaml":
			folder[other] = &fstest.MapFile{Data: files[other]}
		default:
			folder[other] = &fstest.MapFile{Data: []byte("steps: []")}
		}
	}
	folder[name] = &fstest.MapFile{Data: data}
	_, err = flow.Load(folder, nil)
	var faults flow.Faults
	if err != nil && !errors.As(err, &faults) {
		t.Fatal(err)
	}
	return faults
}

// wrong are values of every kind, to stand where another is wanted.
var wrong = map[string]any{
	"null": nil, "true": true, "a number": json.Number("7"), "less than nothing": json.Number("-1.5"),
	"a text": "some text", "no text": "", "a list": []any{}, "an object": map[string]any{},
}

// bounds are what a number may be at most or at least, somewhere, and what is
// just beyond.
var bounds = []string{"0", "1", "99", "100", "599", "600", "10000", "10001", "100000", "100001", "600000", "600001", "1000000", "1000001"}

// choices are all that a key takes which has few values.
var choices = map[string][]string{
	"operator": {">=", "==", "<=", ">"}, "deviceType": {"mouse", "pen", "touch"},
	"button": {"primary", "auxiliary", "secondary", "back", "forward"}, "method": {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"},
}

// mutations makes, by what was done, copies of a value that are each broken in
// one place.
func mutations(whole any) map[string]any {
	broken := map[string]any{}
	visit(whole, "", func(path string, value any, replace func(any) any) {
		for what, other := range wrong {
			if path != "" {
				broken[path+" as "+what] = replace(other)
			}
		}
		if _, is := value.(json.Number); is {
			for _, bound := range bounds {
				broken[path+" as "+bound] = replace(json.Number(bound))
			}
		}
		for _, other := range choices[path[strings.LastIndex(path, ".")+1:]] {
			broken[path+" as "+other] = replace(other)
		}
		object, is := value.(map[string]any)
		if !is {
			return
		}
		for key := range object {
			without := maps.Clone(object)
			delete(without, key)
			broken[path+" without "+key] = replace(without)
		}
		more := maps.Clone(object)
		more["unheardOf"] = "x"
		broken[path+" with a key more"] = replace(more)
	})
	return broken
}

// visit calls do for each value within one; replace makes a copy of the whole
// in which another value stands there.
func visit(value any, path string, do func(path string, value any, replace func(any) any)) {
	do(path, value, func(other any) any { return other })
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			visit(inner, path+"."+key, func(path string, v any, replace func(any) any) {
				do(path, v, func(other any) any {
					copied := maps.Clone(value)
					copied[key] = replace(other)
					return copied
				})
			})
		}
	case []any:
		for i, inner := range value {
			visit(inner, path+"["+strconv.Itoa(i)+"]", func(path string, v any, replace func(any) any) {
				do(path, v, func(other any) any {
					copied := slices.Clone(value)
					copied[i] = replace(other)
					return copied
				})
			})
		}
	}
}

// TestTheSpecimenHasEveryKey sees to it that the test above breaks each of
// them.
func TestTheSpecimenHasEveryKey(t *testing.T) {
	t.Parallel()
	given := map[string]bool{}
	for name, data := range filesOf(t, "testdata/specimen") {
		visit(decode(t, name, data), "", func(path string, _ any, _ func(any) any) {
			given[path[strings.LastIndex(path, ".")+1:]] = true
		})
	}
	for _, raw := range [][]byte{schemas.Site, schemas.Flow} {
		for name := range keysOf(t, raw) {
			if !given[name] {
				t.Errorf("no file of testdata/specimen has the key %q", name)
			}
		}
	}
}
