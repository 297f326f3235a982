package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"integration.gateway/pkg/flow/placeholder"
	"integration.gateway/pkg/flow/tab"
)

// reading is what extract and remember have in common: where the rows are and
// what to read of each. Its source is the page, unless it has a fetch or an
// expression, whose JSON is read.
type reading struct {
	fetch      *fetch
	expression *placeholder.Template
	within     time.Duration // how long the request is repeated; 0: it is made once
	each       *selector
	fields     []*field
	distinct   string
}

func (a *reading) about() string {
	switch {
	case a.fetch != nil:
		return a.fetch.about()
	case a.each != nil:
		return a.each.source
	}
	return ""
}

func (a *reading) request() *fetch { return a.fetch }

func (a *reading) times() int {
	if a.within > 0 {
		return 0
	}
	return 1
}

// nested are the steps for an answer's status.
func (a *reading) nested() [][]*Step {
	var all [][]*Step
	if a.fetch != nil {
		for _, c := range a.fetch.onStatus {
			all = append(all, c.steps)
		}
	}
	return all
}

func (a *reading) readReading(o *object) {
	a.fetch = o.fetch(o.take("fetch"))
	if e := o.take("expression"); e != nil {
		t := o.template(e, "expression", placeholder.Expression)
		a.expression = &t
		if a.fetch != nil {
			o.fault(e.line, "%s has both fetch and expression; one is meant", o.what)
		}
	}
	a.within = o.millis("within", 0)
	if o.has("within") && a.fetch == nil {
		o.fault(o.node.line, "within repeats a fetch; what the page shows late is waited for anyhow, to the step's timeout")
	}
	outer := o.json
	defer func() { o.json = outer }()
	o.json = a.fetch != nil || a.expression != nil
	a.each = o.rowsOf(o.take("each"))
	a.fields = o.fieldList(o.need("fields"))
	a.readDistinct(o)
	o.checkExpressions(a.fields, a.each != nil)
}

func (a *reading) readDistinct(o *object) {
	a.distinct = o.text("distinct")
	switch {
	case a.distinct == "":
	case a.each == nil:
		o.fault(o.node.line, "distinct is for the rows of each")
	case !slices.ContainsFunc(a.fields, func(f *field) bool { return f.name == a.distinct }):
		o.fault(o.node.line, "distinct names %q, which is no field", a.distinct)
	}
}

// found is what a reading has given: rows, of which there is one without each,
// or steps to play instead.
type found struct {
	rows    []any
	instead *statusCase
	// unproven says why an empty list may be that of a wrong page; it is empty
	// where the list is not, or was to be expected.
	unproven string
}

// read reads the rows. While a required field outside of lists is missing it
// waits for the page, and a fetch with within asks again.
func (a *reading) read(ctx context.Context, p *player, s *Step, needs demand) (found, error) {
	ctx, cancel := a.limit(ctx, p, s)
	defer cancel()
	wait := p.timeoutOf(s)
	if a.fetch != nil {
		wait = a.within
	}
	deadline := time.Now().Add(wait)
	for pause := a.pauses(); ; {
		f, err := a.once(ctx, p, s, needs, max(0, time.Until(deadline)))
		if err != nil || f.instead != nil {
			return f, err
		}
		missing := needs.missing(a.fields, f.rows)
		incomplete := missing != nil || a.within > 0 && len(f.rows) == 0
		final := !incomplete || a.each != nil && a.fetch == nil || !time.Now().Before(deadline)
		switch {
		case final && missing != nil:
			return f, a.lacks(p, s, missing)
		case final && f.unproven != "":
			return f, p.failure(s, Plain, "%s", f.unproven)
		case final:
			return f, nil
		}
		if err := rest(ctx, min(pause(), time.Until(deadline))); err != nil {
			return f, err
		}
	}
}

// limit bounds a reading as a whole: each of its requests has the step's time,
// and so has opening the site for it or proving that it is signed in.
func (a *reading) limit(ctx context.Context, p *player, s *Step) (context.Context, context.CancelFunc) {
	limit := 2*p.timeoutOf(s) + 2*time.Second
	if a.fetch != nil {
		limit += a.within + 2*p.site.timeout
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done within %s", limit))
}

// pauses tells how long to wait before the next try: a page is looked at
// often, an application is asked less and less.
func (a *reading) pauses() func() time.Duration {
	if a.fetch == nil {
		return func() time.Duration { return 50 * time.Millisecond }
	}
	next := 200 * time.Millisecond
	return func() time.Duration {
		pause := next
		next = min(2*time.Second, next*3/2)
		return pause
	}
}

func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// once reads what is there now; of the page, what is there within a time.
func (a *reading) once(ctx context.Context, p *player, s *Step, needs demand, left time.Duration) (found, error) {
	var raw []any
	var f found
	var err error
	if a.fetch == nil && a.expression == nil {
		raw, f.unproven, err = a.fromPage(ctx, p, s, needs, left)
	} else {
		raw, f, err = a.fromJSON(ctx, p, s)
	}
	if err == nil && f.instead == nil && len(raw) > 0 && a.each == nil {
		err = p.evaluate(ctx, s, a.fields, raw[0])
	}
	if err != nil {
		return f, err
	}
	f.rows, err = p.rows(a.fields, raw)
	if err != nil {
		return f, p.fieldFailure(s, err)
	}
	f.rows = unique(f.rows, a.distinct)
	return f, nil
}

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

// unique leaves the first row of each value of a field; rows without it stay.
func unique(rows []any, name string) []any {
	if name == "" {
		return rows
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(rows, func(item any) bool {
		row, _ := item.(map[string]any)
		v, there := row[name]
		if !there {
			return false
		}
		key := fmt.Sprint(v)
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
