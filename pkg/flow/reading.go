package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"integration.gateway/pkg/flow/placeholder"
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
