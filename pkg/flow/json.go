package flow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"

	"integration.gateway/pkg/flow/placeholder"
)

// jsonSource is a JSON value that fields are read from.
type jsonSource struct {
	value  any
	base   string // the address that its own are relative to
	walker walker
	paths  map[*selector]*pathQuery // as they are in this reading
	inRow  bool                     // the values of a row are being read
	// unproven says that a list is empty since what it would be picked from
	// is not there; see found.
	unproven string
}

// parseJSON reads a JSON text; its numbers stay exact.
func parseJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	return v, nil
}

func newSource(value any, base string) *jsonSource {
	return &jsonSource{value: value, base: base, walker: walker{left: maxVisits}, paths: map[*selector]*pathQuery{}}
}

// query is a path with the values of its placeholders.
func (j *jsonSource) query(p *player, s *selector) (*pathQuery, error) {
	if s.query != nil {
		return s.query, nil
	}
	if q := j.paths[s]; q != nil {
		return q, nil
	}
	text, err := p.fill(s.value)
	if err != nil {
		return nil, err
	}
	q, err := parsePath(text)
	if err != nil {
		return nil, &Failure{Outcome: Invalid, Message: fmt.Sprintf("the path %s cannot be read with the values given", s.source)}
	}
	j.paths[s] = q
	return q, nil
}

// maxRows bounds how many rows are read from one answer.
const maxRows = 100_000

// rows reads the fields of each value that a path selects.
func (j *jsonSource) rows(p *player, each *selector, fields []*field, value any) ([]any, error) {
	q, err := j.query(p, each)
	if err != nil {
		return nil, err
	}
	nodes, err := j.walker.all(q, value)
	if err != nil {
		return nil, err
	}
	if len(nodes) > maxRows {
		return nil, fmt.Errorf("each %s selects more than %d values", each.source, maxRows)
	}
	if len(nodes) == 0 && !j.inRow {
		there, err := j.walker.parent(q, value)
		if err != nil {
			return nil, err
		}
		if !there && j.unproven == "" {
			j.unproven = fmt.Sprintf("each %s selects nothing, and what it would select from is not there: this is another answer than the expected one", each.source)
		}
	}
	outer := j.inRow
	defer func() { j.inRow = outer }()
	j.inRow = true
	rows := make([]any, len(nodes))
	for i, node := range nodes {
		if rows[i], err = j.row(p, fields, node); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// row reads raw values only, which are then matched, mapped and converted.
func (j *jsonSource) row(p *player, fields []*field, value any) (map[string]any, error) {
	row := make(map[string]any, len(fields))
	for _, f := range fields {
		if !f.fromSource() {
			continue
		}
		v, err := j.field(p, f, value)
		if err != nil {
			return nil, err
		}
		row[f.name] = v
	}
	return row, nil
}

// inside reads a field that is a list or an object of further ones.
func (j *jsonSource) inside(p *player, f *field, value any) (any, error) {
	if f.each != nil {
		return j.rows(p, f.each, f.fields, value)
	}
	return j.row(p, f.fields, value)
}

func (j *jsonSource) field(p *player, f *field, value any) (any, error) {
	if f.fields != nil {
		return j.inside(p, f, value)
	}
	q, err := j.query(p, f.selector)
	if err != nil {
		return nil, err
	}
	v, err := j.walker.first(q, value)
	if f.as == "exists" {
		return v != nil, err
	}
	if text, is := v.(string); is && f.as == "url" && text != "" {
		return resolved(j.base, text), err
	}
	return v, err
}

// resolved makes an address of a page or an answer whole; nil if it is none.
func resolved(base, address string) any {
	b, err := url.Parse(base)
	if err != nil {
		return nil
	}
	u, err := b.Parse(address)
	if err != nil {
		return nil
	}
	return u.String()
}

// jsonTemplate is JSON with placeholders: a template of its own text, or a list
// or an object of such.
type jsonTemplate struct {
	text   placeholder.Template // JSON place: it fills to JSON; Plain: to a text
	list   []*jsonTemplate
	object []jsonMember
	kind   kind
}

type jsonMember struct {
	name  string
	value *jsonTemplate
}

// jsonTemplate reads JSON as it is written in a flow: in YAML, or as one text.
func (r *reader) jsonTemplate(n *node) *jsonTemplate {
	if n == nil {
		return nil
	}
	if n.kind != isText {
		return r.jsonNode(n)
	}
	t := &jsonTemplate{kind: isText, text: r.template(n, "body", placeholder.JSON)}
	text, err := t.text.Fill(func([]string) (any, bool) { return "x", true }, placeholder.Formats{})
	if err == nil && !json.Valid([]byte(text)) {
		r.fault(n.line, "body is no JSON; a text that is to be sent as it is has no place here")
	}
	return t
}

func (r *reader) jsonNode(n *node) *jsonTemplate {
	t := &jsonTemplate{kind: n.kind}
	switch n.kind {
	case isMap:
		for _, e := range r.object(n, "body").node.entries { // which finds keys that are given twice
			t.object = append(t.object, jsonMember{e.key, r.jsonNode(e.value)})
		}
	case isList:
		for _, item := range n.items {
			t.list = append(t.list, r.jsonNode(item))
		}
	case isText:
		place := placeholder.Plain
		if whole, err := placeholder.Parse(n.text, placeholder.Plain); err == nil && whole.Sole() {
			place = placeholder.JSON // it takes the value's own kind
		}
		t.text = r.templateText(n.text, n.line, place)
	default:
		literal, err := json.Marshal(n.plain())
		if err != nil {
			r.fault(n.line, "%s cannot be written as JSON", n.text)
		}
		t.kind, t.text = isText, r.templateText(string(literal), n.line, placeholder.JSON)
	}
	return t
}

// fill writes the JSON with the values at hand, members in the flow's order.
func (t *jsonTemplate) fill(p *player) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := t.write(p, &b); err != nil {
		return nil, err
	}
	if !json.Valid(b.Bytes()) {
		return nil, &Failure{Outcome: Invalid, Message: "the body is no JSON with the values given"}
	}
	return b.Bytes(), nil
}

func (t *jsonTemplate) write(p *player, b *bytes.Buffer) error {
	separate := func(i int) {
		if i > 0 {
			b.WriteByte(',')
		}
	}
	switch t.kind {
	case isMap:
		b.WriteByte('{')
		for i, m := range t.object {
			separate(i)
			b.Write(jsonText(m.name))
			b.WriteByte(':')
			if err := m.value.write(p, b); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case isList:
		b.WriteByte('[')
		for i, item := range t.list {
			separate(i)
			if err := item.write(p, b); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		text, err := p.fill(t.text)
		if err != nil {
			return err
		}
		if t.text.Place() == placeholder.JSON {
			b.WriteString(text)
			return nil
		}
		b.Write(jsonText(text))
	}
	return nil
}

func jsonText(s string) []byte {
	raw, _ := json.Marshal(s) // no text fails
	return raw
}
