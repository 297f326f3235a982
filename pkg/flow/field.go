package flow

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"integration.gateway/pkg/flow/placeholder"
	"integration.gateway/pkg/flow/tab"
)

// field is one value that extract or remember reads, or a list or an object
// of them.
type field struct {
	name       string
	line       int
	selector   *selector
	attribute  string
	property   string
	expression *placeholder.Template
	value      *placeholder.Template
	constant   any
	isConstant bool
	match      *regexp.Regexp
	as         string
	mapping    map[string]any
	fallback   any
	hasDefault bool
	each       *selector
	fields     []*field
	json       bool // what it reads is JSON
}

// kinds of value that `as` names; no name means text.
var fieldKinds = []string{"text", "integer", "decimal", "money", "date", "datetime", "boolean", "url", "exists"}

// fieldList reads the fields of an extract, in their order.
func (r *reader) fieldList(n *node) []*field {
	o := r.object(n, "fields")
	var list []*field
	for _, e := range o.node.entries {
		f := &field{name: e.key, line: e.line, json: r.json}
		if e.value.kind == isMap {
			r.readField(f, e.value)
		} else {
			r.shortField(f, e.value)
		}
		list = append(list, f)
	}
	if len(list) == 0 && n != nil {
		r.fault(n.line, "fields is empty")
	}
	return list
}

// shortField reads a field that is just a selector, or @name for an attribute
// of the row.
func (r *reader) shortField(f *field, n *node) {
	if r.json {
		s := r.path(n)
		f.selector = &s
		return
	}
	text := r.scalar(n, f.name)
	if name, ok := strings.CutPrefix(text, "@"); ok {
		f.attribute = name
		return
	}
	s := r.selector(n)
	f.selector = &s
}

func (r *reader) readField(f *field, n *node) {
	o := r.object(n, "field "+f.name)
	defer o.close()
	if s := o.take("selector"); s != nil {
		r.shortField(f, s)
	}
	if o.has("attribute") {
		f.attribute = strings.TrimPrefix(o.needText("attribute"), "@")
	}
	f.property = o.text("property")
	if e := o.take("expression"); e != nil {
		t := o.template(e, "expression", placeholder.Expression)
		f.expression = &t
	}
	if v := o.take("value"); v != nil {
		t := o.template(v, "value", placeholder.Plain)
		f.value = &t
	}
	if c := o.take("const"); c != nil {
		f.constant, f.isConstant = c.plain(), true
	}
	if text := o.text("match"); text != "" {
		re, err := regexp.Compile(text)
		if err != nil {
			o.fault(n.line, "match: %v", err)
		}
		f.match = re
	}
	f.as = o.oneOf("as", fieldKinds...)
	if m := o.take("map"); m != nil {
		f.mapping, _ = m.plain().(map[string]any)
		if f.mapping == nil {
			o.fault(m.line, "map must be an object")
		}
	}
	if d := o.take("default"); d != nil {
		f.fallback, f.hasDefault = d.plain(), true
	}
	outer := r.json
	defer func() { r.json = outer }()
	r.json = r.json || f.expression != nil // what it gives is read by JSONPath
	f.each = o.rowsOf(o.take("each"))
	if inner := o.take("fields"); inner != nil {
		f.fields = o.fieldList(inner)
	}
	r.checkField(f)
}

// rowsOf reads where the rows of a list are.
func (r *reader) rowsOf(n *node) *selector {
	var s selector
	switch {
	case n == nil:
		return nil
	case r.json:
		s = r.pathOfRows(n)
	default:
		s = r.selector(n)
	}
	return &s
}

// checkField sees to it that a field says once where its value comes from.
func (r *reader) checkField(f *field) {
	var sources []string
	for name, given := range map[string]bool{
		"a selector, attribute or property": f.selector != nil || f.attribute != "" || f.property != "",
		"expression":                        f.expression != nil,
		"value":                             f.value != nil,
		"const":                             f.isConstant,
		"fields":                            f.fields != nil && f.expression == nil,
	} {
		if given {
			sources = append(sources, name)
		}
	}
	slices.Sort(sources)
	if len(sources) != 1 {
		r.fault(f.line, "field %s needs one source: a selector, expression, value, const or fields; it has %d", f.name, len(sources))
	}
	if f.attribute != "" && f.property != "" {
		r.fault(f.line, "field %s has both attribute and property", f.name)
	}
	if f.json && (f.attribute != "" || f.property != "") {
		r.fault(f.line, "field %s: JSON has no attributes and no properties of elements", f.name)
	}
	if f.each != nil && f.fields == nil {
		r.fault(f.line, "field %s has each but no fields", f.name)
	}
	if f.fields != nil && (f.match != nil || f.as != "" || f.mapping != nil) {
		r.fault(f.line, "field %s has fields of its own: match, as and map are for these", f.name)
	}
}

// checkExpressions finds expressions in rows: they read the page.
func (r *reader) checkExpressions(fields []*field, inRow bool) {
	for _, f := range fields {
		if f.expression != nil && inRow {
			r.fault(f.line, "field %s: an expression reads the page, not a row of each", f.name)
		}
		r.checkExpressions(f.fields, inRow || f.each != nil)
	}
}

// origin tells in messages where a field's value comes from.
func (f *field) origin() string {
	switch {
	case f.selector != nil:
		return "selector " + f.selector.source
	case f.attribute != "":
		return "attribute " + f.attribute
	case f.expression != nil:
		return "its expression"
	case f.isConstant:
		return "its const"
	case f.value != nil:
		return "value " + f.value.String()
	case f.each != nil:
		return "each " + f.each.source
	}
	return "the page"
}

// fromSource reports whether the field is read from the page or the answer.
func (f *field) fromSource() bool { return f.expression == nil && f.value == nil && !f.isConstant }

// asked is what the in-page script needs to know of the fields.
func (p *player) asked(fields []*field) ([]tab.Field, error) {
	if fields == nil {
		return nil, nil
	}
	list := make([]tab.Field, 0, len(fields))
	for _, f := range fields {
		if !f.fromSource() {
			continue
		}
		asked := tab.Field{Name: f.name, Attribute: f.attribute, Property: f.property, As: f.as}
		for from, to := range map[*selector]**tab.Selector{f.selector: &asked.Selector, f.each: &asked.Each} {
			if from == nil {
				continue
			}
			filled, err := from.fill(p)
			if err != nil {
				return nil, err
			}
			*to = &filled
		}
		var err error
		if asked.Fields, err = p.asked(f.fields); err != nil {
			return nil, err
		}
		list = append(list, asked)
	}
	return list, nil
}

// row makes the values of one row, of what its source gave. A value that is not
// there is left out, an object without any value too.
func (p *player) row(fields []*field, raw map[string]any) (map[string]any, error) {
	outer := p.current
	defer func() { p.current = outer }()
	row := make(map[string]any, len(fields))
	p.current = row
	for _, f := range fields {
		v, err := p.fieldValue(f, raw[f.name])
		if err != nil {
			return nil, err
		}
		if v != nil {
			row[f.name] = v
		}
	}
	return row, nil
}

func (p *player) fieldValue(f *field, raw any) (any, error) {
	switch {
	case f.isConstant:
		return f.constant, nil
	case f.value != nil:
		v, err := p.placed(f)
		if err != nil {
			return nil, err
		}
		raw = v
	case f.each != nil:
		list, _ := raw.([]any)
		return p.rows(f.fields, list)
	case f.fields != nil:
		object, _ := raw.(map[string]any)
		row, err := p.row(f.fields, object)
		if err != nil || len(row) == 0 {
			return nil, err
		}
		return row, nil
	}
	return p.site.convert(f, raw)
}

// placed is the value of a field that is a placeholder, nil where it has none
// and the field a default.
func (p *player) placed(f *field) (any, error) {
	v, err := f.value.Value(p.lookup, p.site.formats)
	var unfilled *placeholder.Error
	if errors.As(err, &unfilled) && unfilled.Missing && f.hasDefault {
		return nil, nil
	}
	if t, is := v.(time.Time); is {
		v = t.UTC().Format(time.RFC3339)
	}
	if text, is := v.(string); is && f.as == "url" {
		v = resolved(p.tab.Address(), text)
	}
	return v, err
}

func (p *player) rows(fields []*field, raw []any) ([]any, error) {
	rows := make([]any, 0, len(raw))
	for _, item := range raw {
		object, _ := item.(map[string]any)
		row, err := p.row(fields, object)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
