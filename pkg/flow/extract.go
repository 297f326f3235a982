package flow

import (
	"context"
	"maps"
	"slices"
)

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
	if a.append && a.each == nil {
		o.fault(o.node.line, "append is for the rows of each")
	}
}

func (a *extract) play(ctx context.Context, p *player, s *Step) error {
	shape := p.contract.shape(a.into, a.each != nil)
	f, err := a.reading.read(ctx, p, s, demand{shape: shape, at: a.into})
	p.keep(a, s, f.rows)
	return f.playInstead(ctx, p, err)
}

// playInstead plays the steps for an answer's status, if it has some.
func (f found) playInstead(ctx context.Context, p *player, err error) error {
	if err != nil || f.instead == nil {
		return err
	}
	return p.steps(ctx, f.instead.steps)
}

// keep puts what was read into the result; also of a reading that failed, as
// a result in part helps to settle an effect that is in doubt.
func (p *player) keep(a *extract, s *Step, rows []any) {
	p.note(s, a.fields, a.into)
	if rows == nil || a.each == nil && len(rows) == 0 {
		return
	}
	var value any = rows
	if a.each == nil {
		value = rows[0]
	} else if a.append {
		before, _ := p.result[a.into].([]any)
		value = unique(slices.Concat(before, rows), a.distinct)
	}
	if object, ok := value.(map[string]any); ok && a.into == "" {
		for name, v := range object {
			p.result[name] = v
		}
		return
	}
	p.result[a.into] = value
}

// note remembers where the fields of the result come from.
func (p *player) note(s *Step, fields []*field, at string) {
	for _, f := range fields {
		path := fieldPath(at, f.name)
		p.origins[path] = origin{s, f}
		p.note(s, f.fields, path)
	}
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
	f, err := a.reading.read(ctx, p, s, demand{all: true})
	if err != nil {
		return err
	}
	a.keep(p, f.rows)
	return f.playInstead(ctx, p, nil)
}

func (a *remember) keep(p *player, rows []any) {
	if a.each == nil {
		for _, item := range rows { // one, or none where steps are played instead
			row, _ := item.(map[string]any)
			maps.Copy(p.vars, row)
		}
		return
	}
	if a.into != "" {
		p.vars[a.into] = rows
		return
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
}
