package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"integration.gateway/pkg/flow/tab"
)

// reading is what extract and remember have in common: where the rows are and
// what to read of each.
type reading struct {
	each     *selector
	fields   []*field
	distinct string
}

func (a *reading) about() string {
	if a.each != nil {
		return a.each.source
	}
	return ""
}

func (a *reading) readReading(o *object) {
	if n := o.take("each"); n != nil {
		s := o.selector(n)
		a.each = &s
	}
	a.fields = o.fieldList(o.need("fields"))
	a.distinct = o.text("distinct")
	if a.distinct != "" && !slices.ContainsFunc(a.fields, func(f *field) bool { return f.name == a.distinct }) {
		o.fault(o.node.line, "distinct names %q, which is no field", a.distinct)
	}
	for _, f := range a.fields {
		if f.expression != nil && a.each != nil {
			o.fault(f.line, "field %s: an expression reads the page, not a row of each", f.name)
		}
	}
}

// rows reads the page: in one evaluate, however many rows, and one more for
// each field that is an expression. Without each there is one row. It waits
// for the required fields of that one row.
func (a *reading) rows(ctx context.Context, p *player, s *Step, required func(*field) bool) ([]any, error) {
	goal := tab.Goal{Kind: tab.Read, Frame: s.frame}
	var err error
	if goal.Fields, err = p.request(a.fields); err != nil {
		return nil, err
	}
	if a.each != nil {
		each, err := a.each.fill(p)
		if err != nil {
			return nil, err
		}
		goal.Each = &each
	} else {
		for _, f := range a.fields {
			if f.fromPage() && f.fields == nil && f.as != "exists" && !f.hasDefault && required(f) {
				goal.Required = append(goal.Required, f.name)
			}
		}
	}
	found, err := p.look(ctx, s, p.timeoutOf(s), goal)
	if err != nil {
		return nil, err
	}
	if found.Goal < 0 {
		return a.partial(p, found.Data), a.missing(p, s, found.Reasons)
	}
	var raw []any
	if err := json.Unmarshal(found.Data, &raw); err != nil {
		return nil, fmt.Errorf("reading what the page gave: %w", err)
	}
	if err := a.evaluate(ctx, p, raw); err != nil {
		return nil, err
	}
	rows, err := p.rows(a.fields, raw)
	if err != nil {
		return nil, p.fieldFailure(s, err)
	}
	rows = a.unique(rows)
	return rows, a.complete(p, s, rows, required)
}

// partial makes what it can of a reading in which something was missing: after
// an effect, that may be an order's number.
func (a *reading) partial(p *player, data json.RawMessage) []any {
	var raw []any
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	rows, err := p.rows(a.fields, raw)
	if err != nil {
		return nil
	}
	return rows
}

// evaluate adds the values of the fields that are expressions.
func (a *reading) evaluate(ctx context.Context, p *player, raw []any) error {
	if len(raw) == 0 {
		return nil
	}
	for _, f := range a.fields {
		row, ok := raw[0].(map[string]any)
		if f.expression == nil || !ok {
			continue
		}
		expression, err := p.fill(*f.expression)
		if err != nil {
			return err
		}
		value, err := p.tab.Evaluate(ctx, expression)
		if err != nil {
			return err
		}
		if len(value) == 0 {
			continue // undefined
		}
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			return fmt.Errorf("reading the value of %s: %w", f.name, err)
		}
		row[f.name] = v
	}
	return nil
}

func (a *reading) missing(p *player, s *Step, reasons []string) error {
	for _, f := range a.fields {
		if slices.Contains(reasons, f.name) {
			return p.failure(s, Plain, "field %s (%s) did not come within %s", f.name, f.origin(), p.timeoutOf(s))
		}
	}
	return p.failure(s, Plain, "the page could not be read within %s: %v", p.timeoutOf(s), reasons)
}

// complete finds a required field that a row does not have.
func (a *reading) complete(p *player, s *Step, rows []any, required func(*field) bool) error {
	for i, item := range rows {
		row, _ := item.(map[string]any)
		for _, f := range a.fields {
			if _, there := row[f.name]; !there && required(f) {
				return p.failure(s, Plain, "row %d: required field %s (%s) is missing", i+1, f.name, f.origin())
			}
		}
	}
	return nil
}

func (a *reading) unique(rows []any) []any {
	if a.distinct == "" {
		return rows
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(rows, func(item any) bool {
		row, _ := item.(map[string]any)
		key := fmt.Sprint(row[a.distinct])
		before := seen[key]
		seen[key] = true
		return before
	})
}

func (p *player) fieldFailure(s *Step, err error) error {
	var e *fieldError
	if errors.As(err, &e) {
		return p.failure(s, Plain, "%s", e.Error())
	}
	return err
}

// extract reads the page into the operation's result.
type extract struct {
	reading
	into   string
	append bool
}

func (a *extract) read(o *object) {
	a.into = o.text("into")
	a.append = o.bool("append")
	a.readReading(o)
}

func (a *extract) play(ctx context.Context, p *player, s *Step) error {
	shape := p.contract.shape(a.into, a.each != nil)
	rows, err := a.rows(ctx, p, s, func(f *field) bool { return shape.requires(f.name) })
	p.keep(a, s, rows)
	return err
}

// keep puts what was read into the result; also of a reading that failed, as
// a result in part helps to settle an effect that is in doubt.
func (p *player) keep(a *extract, s *Step, rows []any) {
	for _, f := range a.fields {
		p.origins[fieldPath(a.into, f.name)] = origin{s, f}
	}
	var value any = rows
	if a.each == nil {
		if len(rows) == 0 {
			return
		}
		value = rows[0]
	} else if a.append {
		before, _ := p.result[a.into].([]any)
		value = slices.Concat(before, rows)
	}
	if object, ok := value.(map[string]any); ok && a.into == "" {
		for name, v := range object {
			p.result[name] = v
		}
		return
	}
	p.result[a.into] = value
}

// remember keeps values for later placeholders, as vars.
type remember struct {
	reading
	into string // with each: the name of the list of rows
}

func (a *remember) read(o *object) {
	a.into = o.text("into")
	a.readReading(o)
}

func (a *remember) play(ctx context.Context, p *player, s *Step) error {
	rows, err := a.rows(ctx, p, s, func(f *field) bool { return !f.hasDefault && f.as != "exists" })
	if err != nil {
		return err
	}
	if a.each == nil {
		row, _ := rows[0].(map[string]any)
		for name, v := range row {
			p.vars[name] = v
		}
		return nil
	}
	if a.into != "" {
		p.vars[a.into] = rows
		return nil
	}
	// Without a name for the rows, each field becomes the list of its values.
	for _, f := range a.fields {
		values := make([]any, 0, len(rows))
		for _, item := range rows {
			row, _ := item.(map[string]any)
			values = append(values, row[f.name])
		}
		p.vars[f.name] = values
	}
	return nil
}
