package flow

import "fmt"

// demand says which fields a reading cannot do without: those that the
// contract requires, or all that have no default.
type demand struct {
	shape shape
	all   bool
	at    string // where the fields stand in the result
}

func (d demand) needs(f *field) bool {
	if d.all {
		return !f.hasDefault && f.as != "exists"
	}
	return d.shape.requires(f.name)
}

func (d demand) inside(f *field) demand {
	inner := demand{shape: d.shape.property(f.name), all: d.all, at: fieldPath(d.at, f.name)}
	if f.each != nil {
		inner.shape = inner.shape.items()
	}
	return inner
}

// waited lists the fields outside of lists, by their dotted names, that the
// page is waited for.
func (d demand) waited(fields []*field, prefix string) []string {
	var names []string
	for _, f := range fields {
		switch {
		case !d.needs(f) || f.hasDefault || f.as == "exists" || f.each != nil || !f.fromSource():
		case f.fields != nil:
			names = append(names, d.inside(f).waited(f.fields, prefix+f.name+".")...)
		default:
			names = append(names, prefix+f.name)
		}
	}
	return names
}

// gap is a required field that is missing.
type gap struct {
	field *field
	path  string // in the result
	row   int    // of each, from 1; 0 outside of lists
}

// missing finds the first required field that a row does not have.
func (d demand) missing(fields []*field, rows []any) *gap {
	for i, item := range rows {
		row, _ := item.(map[string]any)
		if g := d.missingOf(fields, row); g != nil {
			if g.row == 0 {
				g.row = i + 1
			}
			return g
		}
	}
	return nil
}

func (d demand) missingOf(fields []*field, row map[string]any) *gap {
	for _, f := range fields {
		v, there := row[f.name]
		inner := d.inside(f)
		switch {
		case !there && !d.needs(f):
		case !there && f.fields != nil && f.each == nil: // all of an object is missing
			if g := inner.missingOf(f.fields, nil); g != nil {
				return g
			}
			return &gap{field: f, path: inner.at}
		case !there:
			return &gap{field: f, path: inner.at}
		case f.each != nil:
			list, _ := v.([]any)
			if g := inner.missing(f.fields, list); g != nil {
				return g
			}
		case f.fields != nil:
			object, _ := v.(map[string]any)
			if g := inner.missingOf(f.fields, object); g != nil {
				return g
			}
		}
	}
	return nil
}

// lacks is the failure for a required field that is missing.
func (a *reading) lacks(p *player, s *Step, g *gap) error {
	where, within := fmt.Sprintf("row %d: ", g.row), " is missing"
	if a.each == nil {
		where = ""
		if a.fetch == nil {
			within = fmt.Sprintf(" did not come within %s", p.timeoutOf(s))
		}
	}
	f := p.failure(s, Plain, "%srequired field %s (%s)%s", where, g.path, g.field.origin(), within)
	f.Missing = g.path
	return f
}
