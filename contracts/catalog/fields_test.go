package catalog_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
)

// place is a field of a request or result, with the way to it.
type place struct {
	path    string // such as "agency-create-employee request body.firstName"
	field   reflect.StructField
	request bool
}

func (p place) name() string {
	name, _, _ := strings.Cut(p.field.Tag.Get("json"), ",")
	return name
}

// kind is the field's type without pointer and list.
func (p place) kind() reflect.Type {
	t := p.field.Type
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

func (p place) isRecord() bool {
	return p.kind().Kind() == reflect.Struct && p.kind() != reflect.TypeFor[time.Time]()
}

// places returns all fields of all requests and results of the entries.
func places(entries []contracts.Entry) []place {
	var all []place
	for _, entry := range entries {
		req, res := entry.New()
		id := entry.Info().ID()
		all = walk(all, id+" request ", reflect.TypeOf(req).Elem(), true)
		all = walk(all, id+" result ", reflect.TypeOf(res).Elem(), false)
	}
	return all
}

func walk(all []place, prefix string, t reflect.Type, request bool) []place {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			all = walk(all, prefix, f.Type, request)
			continue
		}
		p := place{path: prefix + f.Name, field: f, request: request}
		if f.Name != "Body" {
			all = append(all, p)
		}
		if p.isRecord() {
			all = walk(all, prefix+f.Name+".", p.kind(), request)
		}
	}
	return all
}

func TestFieldsAreDocumented(t *testing.T) {
	t.Parallel()
	for _, p := range places(catalog.All()) {
		tag := p.field.Tag
		if doc := tag.Get("doc"); doc == "" || !strings.HasSuffix(doc, ".") {
			t.Errorf("%s: doc %q is not a sentence", p.path, doc)
		}
		if _, ok := tag.Lookup("example"); ok == p.isRecord() {
			t.Errorf("%s: example %q on type %s", p.path, tag.Get("example"), p.field.Type)
		}
		if first := p.name()[:1]; first != strings.ToLower(first) {
			t.Errorf("%s: JSON name %q", p.path, p.name())
		}
		for _, in := range []string{"path", "query"} {
			if name, _, _ := strings.Cut(tag.Get(in), ","); name != "" && name != p.name() {
				t.Errorf("%s: %s name %q, JSON name %q", p.path, in, name, p.name())
			}
		}
		optional := strings.Contains(tag.Get("json"), ",omitempty")
		switch {
		case p.field.Type.Kind() == reflect.Slice && tag.Get("nullable") != "false":
			t.Errorf("%s: a list that may be null", p.path)
		case p.field.Type.Kind() == reflect.Pointer && !optional:
			t.Errorf("%s: a pointer without omitempty", p.path)
		case p.field.Type.Kind() == reflect.Struct && optional:
			t.Errorf("%s: omitempty on a struct leaves out nothing", p.path)
		case tag.Get("query") != "" && (tag.Get("required") == "true") == optional:
			t.Errorf("%s: a query parameter that is not either required or omitempty", p.path)
		}
	}
}

func TestTextOfRequestsIsBounded(t *testing.T) {
	t.Parallel()
	for _, p := range places(catalog.All()) {
		tag := p.field.Tag
		switch {
		case !p.request:
		case p.kind().Kind() == reflect.String:
			bounded := tag.Get("maxLength") != "" || tag.Get("enum") != "" || tag.Get("format") == "date" || strings.HasSuffix(tag.Get("pattern"), "}$")
			if !bounded {
				t.Errorf("%s: text of any length", p.path)
			}
		case p.kind().Kind() == reflect.Int && (tag.Get("minimum") == "" || tag.Get("maximum") == ""):
			t.Errorf("%s: a number without bounds", p.path)
		case p.field.Type.Kind() == reflect.Slice && tag.Get("maxItems") == "":
			t.Errorf("%s: a list of any length", p.path)
		}
	}
}

// Huma looks for repeated items in a map, which panics on items that are
// objects or lists, before it has found that they should be numbers.
func TestUniqueItemsIsNotUsed(t *testing.T) {
	t.Parallel()
	for _, p := range places(append(catalog.All(), catalog.Admin()...)) {
		if _, ok := p.field.Tag.Lookup("uniqueItems"); ok {
			t.Errorf("%s: uniqueItems", p.path)
		}
	}
}

// Flows know a request's fields by one name, wherever they stand.
func TestParametersAndBodyShareNoName(t *testing.T) {
	t.Parallel()
	for _, entry := range append(catalog.All(), catalog.Admin()...) {
		req, _ := entry.New()
		requestType := reflect.TypeOf(req).Elem()
		names := map[string]bool{}
		add := func(prefix string, t2 reflect.Type) {
			for _, p := range walk(nil, prefix, t2, true) {
				if strings.Count(p.path, ".") > 0 { // inside a record of its own
					continue
				}
				if names[p.name()] {
					t.Errorf("%s: two fields %s", entry.Info().ID(), p.name())
				}
				names[p.name()] = true
			}
		}
		if body, ok := requestType.FieldByName("Body"); ok {
			add("", body.Type)
		}
		add("", requestType)
	}
}

// Enumerations are named text types. Their values stand in a tag of each field
// and in constants, which must agree.
func TestEnumerationsAgreeWithTheirConstants(t *testing.T) {
	t.Parallel()
	constants := enumConstants(t)
	seen := map[reflect.Type]bool{}
	for _, p := range places(catalog.All()) {
		kind, enum := p.kind(), p.field.Tag.Get("enum")
		if kind.Kind() != reflect.String || kind == reflect.TypeFor[string]() {
			if enum != "" {
				t.Errorf("%s: enum on type %s", p.path, kind)
			}
			continue
		}
		seen[kind] = true
		pkg := strings.TrimPrefix(kind.PkgPath(), "integration.gateway/contracts")
		want := strings.Join(constants[strings.TrimPrefix(pkg, "/")+"."+kind.Name()], ",")
		if enum != want {
			t.Errorf("%s: enum %q, constants of %s %q", p.path, enum, kind, want)
		}
	}
	if len(seen) < 15 {
		t.Errorf("only %d enumerations found", len(seen))
	}
}

// enumConstants reads the text constants of named types from the sources:
// "agency.EarningsPeriod" → hourly, daily …
func enumConstants(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string][]string{}
	for _, name := range append(files, root...) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Base(filepath.Dir(name))
		if dir == ".." {
			dir = ""
		}
		for _, decl := range file.Decls {
			if group, ok := decl.(*ast.GenDecl); ok && group.Tok == token.CONST {
				addConstants(constants, dir, group)
			}
		}
	}
	return constants
}

func addConstants(constants map[string][]string, dir string, group *ast.GenDecl) {
	for _, spec := range group.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok || len(value.Values) != 1 {
			continue
		}
		kind, isNamed := value.Type.(*ast.Ident)
		literal, isLiteral := value.Values[0].(*ast.BasicLit)
		if !isNamed || !isLiteral {
			continue
		}
		if text, err := strconv.Unquote(literal.Value); err == nil {
			key := dir + "." + kind.Name
			constants[key] = append(constants[key], text)
		}
	}
}
