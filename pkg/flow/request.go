package flow

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// requestField is one field of a request that can be used by itself: what
// stands inside an object is one, an object is none.
type requestField struct {
	name     string // dotted
	list     bool
	fallback string // what the edge puts in where a caller gives nothing
}

// requestFields lists the fields of a request type, the body's beside the
// parameters.
func requestFields(t reflect.Type, prefix string) []requestField {
	var all []requestField
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch inner := pointedTo(f.Type); {
		case f.Anonymous && name == "" || prefix == "" && name == "body":
			all = append(all, requestFields(inner, prefix)...)
		case name == "" || name == "-" || !f.IsExported():
		case isObject(inner):
			all = append(all, requestFields(inner, prefix+name+".")...)
		default:
			all = append(all, requestField{prefix + name, inner.Kind() == reflect.Slice, f.Tag.Get("default")})
		}
	}
	return all
}

func pointedTo(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// isObject tells an object in JSON from a value that Go makes of several.
func isObject(t reflect.Type) bool {
	marshaler := reflect.TypeFor[json.Marshaler]()
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]() && !t.Implements(marshaler) && !reflect.PointerTo(t).Implements(marshaler)
}

// covers reports whether using a name uses the field: it is the field's own,
// that of an object around it, or of something inside a list.
func (f requestField) covers(name string) bool {
	return name == f.name || strings.HasPrefix(f.name, name+".") || f.list && strings.HasPrefix(name, f.name+".")
}

// knows reports whether the request has a field, an object or an item of this
// name.
func (c *Contract) knows(name string) bool {
	return slices.ContainsFunc(c.request, func(f requestField) bool { return f.covers(name) })
}

// names lists the fields in messages.
func (c *Contract) names() string {
	names := make([]string, len(c.request))
	for i, f := range c.request {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

// chosen reports whether a caller gave a field: it is there, and not merely
// the contract's default.
func (p *player) chosen(name string) bool {
	if !p.given(name) || p.contract == nil {
		return p.given(name)
	}
	v, _ := dig(p.job.Request, strings.Split(name, "."))
	return !slices.ContainsFunc(p.contract.request, func(f requestField) bool {
		return f.name == name && f.fallback != "" && f.fallback == fmt.Sprint(v)
	})
}

// paging are the fields that the service applies where the flow does not.
var paging = []string{"limit", "startIndex", "page", "pageSize"}

// LeavesPaging lists those fields of an operation's request that choose a part
// of a list and that neither the flow uses nor the site refuses or ignores.
func (s *Site) LeavesPaging(operation string) []string {
	op := s.operations[operation]
	if op == nil || op.contract == nil {
		return nil
	}
	used := usedNames(op.flow.steps)
	return slices.DeleteFunc(slices.Clone(paging), func(name string) bool {
		return !op.contract.knows(name) || slices.Contains(used, name) || slices.Contains(op.ignores, name) || slices.Contains(op.unsupported, name)
	})
}

// usedNames lists the names of request fields that steps take values of.
func usedNames(steps []*Step) []string {
	var used []string
	walk(steps, func(s *Step) { used = append(used, fieldNames(s)...) })
	return used
}

// fieldNames lists the request fields that a step itself uses, without what
// stands inside it.
func fieldNames(s *Step) []string {
	var names []string
	for _, u := range s.uses {
		for _, name := range u.template.Names() {
			if !isNamespace(name) {
				names = append(names, strings.Join(name, "."))
			}
		}
	}
	if f, ok := s.action.(fielded); ok {
		names = append(names, f.fields()...)
	}
	return names
}
