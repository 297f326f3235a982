package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"integration.gateway/pkg/flow/placeholder"
	"integration.gateway/pkg/flow/tab"
)

// fromPage reads the page: in one evaluate, however many rows. It waits for
// the required fields of a single row.
func (a *reading) fromPage(ctx context.Context, p *player, s *Step, needs demand, left time.Duration) (raw []any, unproven string, err error) {
	goal := tab.Goal{Kind: tab.Read, Frame: s.frame}
	if goal.Fields, err = p.asked(a.fields); err != nil {
		return nil, "", err
	}
	if a.each != nil {
		each, err := a.each.fill(p)
		if err != nil {
			return nil, "", err
		}
		goal.Each = &each
	} else {
		goal.Required = needs.waited(a.fields, "")
	}
	seen, err := p.look(ctx, s, left, goal)
	if err != nil {
		return nil, "", err
	}
	if len(seen.Data) == 0 {
		return nil, "", p.failure(s, Plain, "the page could not be read within %s: %s", p.timeoutOf(s), strings.Join(seen.Reasons, "; "))
	}
	if err := json.Unmarshal(seen.Data, &raw); err != nil {
		return nil, "", fmt.Errorf("reading what the page gave: %w", err)
	}
	if !p.onRightPage() {
		unproven = a.unproven(raw)
	}
	return raw, unproven, nil
}

// unproven names the list that is empty on a page which the flow has not
// recognised. Beside a value that was read, a list may be empty.
func (a *reading) unproven(raw []any) string {
	const advice = "%s matches nothing, and nothing has shown that this is the right page; wait before it for what the page has with an empty list too, as waitForElement, when, oneOf or assertedEvents do"
	if a.each != nil {
		if len(raw) > 0 {
			return ""
		}
		return fmt.Sprintf(advice, "each "+a.each.source)
	}
	row, _ := raw[0].(map[string]any)
	empty := ""
	for _, f := range a.fields {
		switch v := row[f.name].(type) {
		case []any:
			if len(v) == 0 && empty == "" {
				empty = fmt.Sprintf(advice, fmt.Sprintf("each %s of the field %s", f.each.source, f.name))
			}
		case string:
			if v != "" {
				return ""
			}
		}
	}
	return empty
}

// fromJSON reads the answer to the fetch, or the expression's value.
func (a *reading) fromJSON(ctx context.Context, p *player, s *Step) (raw []any, f found, err error) {
	var j *jsonSource
	if a.fetch != nil {
		r, err := p.ask(ctx, s, a.fetch)
		if err != nil || r.instead != nil {
			return nil, found{rows: []any{}, instead: r.instead}, err
		}
		j = r.source
	} else {
		if err := p.watch(ctx, s); err != nil {
			return nil, f, err
		}
		value, err := p.valueOf(ctx, s, *a.expression)
		if err != nil {
			return nil, f, err
		}
		j = newSource(value, p.tab.Address())
	}
	if a.each != nil {
		raw, err = j.rows(p, a.each, a.fields, j.value)
	} else {
		var row map[string]any
		row, err = j.row(p, a.fields, j.value)
		raw = []any{row}
	}
	f.unproven = j.unproven
	return raw, f, err
}

// valueOf is the value of an expression in the page, nil where it has none.
func (p *player) valueOf(ctx context.Context, s *Step, expression placeholder.Template) (any, error) {
	text, err := p.fill(expression)
	if err != nil {
		return nil, err
	}
	for {
		value, err := p.tab.Evaluate(ctx, text, s.frame...)
		if tab.IsGone(err) && ctx.Err() == nil {
			continue // it is asked of the next document
		}
		if err != nil || len(value) == 0 {
			return nil, err
		}
		return parseJSON(value)
	}
}

// evaluate adds the values of the fields that are expressions to a raw row.
func (p *player) evaluate(ctx context.Context, s *Step, fields []*field, raw any) error {
	row, ok := raw.(map[string]any)
	if !ok {
		return nil
	}
	for _, f := range fields {
		if f.expression == nil {
			if f.fields != nil && f.each == nil {
				if err := p.evaluate(ctx, s, f.fields, row[f.name]); err != nil {
					return err
				}
			}
			continue
		}
		value, err := p.valueOf(ctx, s, *f.expression)
		if err != nil {
			return err
		}
		if f.fields != nil {
			if value, err = newSource(value, p.tab.Address()).inside(p, f, value); err != nil {
				return err
			}
		}
		row[f.name] = value
	}
	return nil
}
