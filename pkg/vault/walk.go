package vault

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

// walk returns tree, the JSON of a value of type t, with every sensitive value
// in it replaced by what seal makes of it. Only encoding/json writes values;
// the type tells where in its output they are.
func walk(t reflect.Type, tree any, seal func(any) (any, error)) (any, error) {
	if tree == nil {
		return nil, nil
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if writesItself(t) {
		return walkOpaque(tree, seal)
	}
	// A map's keys are data: what only looks like a sealed value is sealed, so
	// that OpenFields is never misled.
	if _, ok := sealedIn(tree); ok {
		return seal(tree)
	}
	switch t.Kind() {
	case reflect.Interface:
		return seal(tree)
	case reflect.Struct:
		fields := fieldsOf(t)
		return mapTree(tree, func(name string, child any) (any, error) {
			field, known := fields[name]
			if child != nil && (field.sensitive || !known) {
				return seal(child)
			}
			return walk(field.t, child, seal)
		})
	case reflect.Map, reflect.Slice, reflect.Array:
		return mapTree(tree, func(_ string, child any) (any, error) { return walk(t.Elem(), child, seal) })
	default:
		return tree, nil
	}
}

// walkOpaque seals what a type has written itself, unless it is a single value
// such as a time or a decimal number.
func walkOpaque(tree any, seal func(any) (any, error)) (any, error) {
	switch tree.(type) {
	case map[string]any, []any:
		return seal(tree)
	default:
		return tree, nil
	}
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// writesItself says whether a value of type t chooses its own JSON. A method
// on the pointer counts: whether encoding/json can call it depends on the
// value, and to seal too much is the safe side.
func writesItself(t reflect.Type) bool {
	if t.Kind() == reflect.Interface {
		return false
	}
	p := reflect.PointerTo(t)
	return p.Implements(jsonMarshaler) || p.Implements(textMarshaler)
}

// field is one member of the JSON object that a struct becomes.
type field struct {
	t         reflect.Type
	sensitive bool
}

// fieldsOf returns a struct's fields by their JSON names. Fields of embedded
// structs are among them. Where two have one name, encoding/json takes the
// outer one; the name is sensitive if either is.
func fieldsOf(t reflect.Type) map[string]field {
	fields := map[string]field{}
	collect(t, false, fields, map[reflect.Type]bool{})
	return fields
}

func collect(t reflect.Type, sensitive bool, into map[string]field, within map[reflect.Type]bool) {
	if within[t] { // a struct that embeds a pointer to itself adds nothing new
		return
	}
	within[t] = true
	defer delete(within, t)
	var direct []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		if embedded, ok := flattened(f); ok {
			collect(embedded, sensitive || isSensitive(f), into, within)
		} else if f.IsExported() && f.Tag.Get("json") != "-" {
			direct = append(direct, f)
		}
	}
	for _, f := range direct {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		into[name] = field{t: f.Type, sensitive: sensitive || isSensitive(f) || into[name].sensitive}
	}
}

// flattened returns the struct whose fields stand among those of the struct
// that embeds it with f.
func flattened(f reflect.StructField) (reflect.Type, bool) {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return t, f.Anonymous && name == "" && f.Tag.Get("json") != "-" && t.Kind() == reflect.Struct && !writesItself(t)
}

func isSensitive(f reflect.StructField) bool { return f.Tag.Get("sensitive") == "true" }
