package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/go-rod/rod"

	"integration.gateway/pkg/flow/tab"
)

// player plays one job on one page.
type player struct {
	site     *Site
	job      Job
	contract *Contract
	flow     []*Step // of the operation
	public   bool

	tab         *tab.Tab // that the step is played in
	frame       []int    // where its target is, if that is a frame
	vars        map[string]any
	session     map[string]any
	current     map[string]any // the row that is being made
	each        any            // the item of the innermost repeat
	result      map[string]any // under "": rows that are the result themselves
	origins     map[string]origin
	effectKind  string // of the effect that has begun
	pending     bool   // its act has not
	credentials *Credentials
	code        string       // the one-time code of this sign-in; empty until a step asks for it
	signing     bool         // a sign-in flow is being played
	signedIn    bool         // this playing has signed in
	arrivals    int          // documents and route changes before the last step
	keys        keyboard     // held down
	typed       *tab.Goal    // the field that was set last; nil once something else was done
	ignored     map[int]bool // overlays that would not go, in this step
	last        *Step
	recognised  int               // the document that the flow has recognised; see recognise.go
	stored      map[string]string // of the page's local storage, for the request that is being made
	tokens      []string          // what requests took from there
	trace       Trace
}

func (s *Site) player(job Job) *player {
	p := &player{site: s, job: job}
	if op := s.operations[job.Operation]; op != nil {
		p.contract, p.public, p.flow = op.contract, op.public, op.flow.steps
	}
	if job.Account != nil {
		p.session = job.Account.Session
	}
	p.reset()
	return p
}

// reset forgets what an earlier try of the flow has read.
func (p *player) reset() {
	p.vars = maps.Clone(p.job.Vars)
	if p.vars == nil {
		p.vars = map[string]any{}
	}
	p.result, p.origins = map[string]any{}, map[string]origin{}
	p.typed = nil
	p.keys, p.each, p.recognised = keyboard{}, nil, 0
}

// Prepare makes a page ready for flows ahead of the first one, which is the
// faster for it. A page is prepared once, however often it is called.
func Prepare(ctx context.Context, page *rod.Page) error { return tab.Prepare(ctx, page) }

// Play carries out an operation on a page and returns its result, which fits
// the contract. The error is a *Failure; after the effect step the result in
// part comes with it. The page is left at the site after success, blank after
// a failure.
func (s *Site) Play(ctx context.Context, page *rod.Page, job Job) (json.RawMessage, Trace, error) {
	if err := s.Check(job); err != nil {
		return nil, Trace{}, err
	}
	p := s.player(job)
	var result json.RawMessage
	err := p.control(ctx, page, func(ctx context.Context) error {
		err := p.withSignIn(ctx, func() error { return p.begin(ctx, p.flow) })
		checked, unfit := p.check()
		if err == nil {
			err = unfit
		}
		if err == nil || p.effectKind != "" {
			result = checked
		}
		return err
	})
	return result, p.trace, err
}

// Verdict is what a reconcile flow found out.
type Verdict struct {
	Applied  bool
	Evidence json.RawMessage // fields of the result; null when there are none
}

// Reconcile finds out whether the effect of a job happened. It only looks.
func (s *Site) Reconcile(ctx context.Context, page *rod.Page, job Job) (Verdict, Trace, error) {
	op := s.operations[job.Operation]
	if op == nil || op.reconcile == nil {
		return Verdict{}, Trace{}, &Failure{Message: fmt.Sprintf("%s has no reconcile flow for %s", s.Name, job.Operation)}
	}
	p := s.player(job)
	p.flow, p.public, p.contract = op.reconcile.steps, false, nil
	var verdict Verdict
	err := p.control(ctx, page, func(ctx context.Context) error {
		if err := p.withSignIn(ctx, func() error { return p.begin(ctx, p.flow) }); err != nil {
			return err
		}
		applied, ok := p.result["applied"].(bool)
		if !ok {
			return p.failure(p.last, Plain, "a reconcile flow must extract applied as true or false")
		}
		evidence, err := json.Marshal(p.result["evidence"])
		verdict = Verdict{Applied: applied, Evidence: evidence}
		return err
	})
	return verdict, p.trace, err
}

// Complete fills the fields that a result in part does not have from a
// verdict's evidence, and holds the whole against the contract.
func (s *Site) Complete(operation string, partial, evidence json.RawMessage) (json.RawMessage, error) {
	p := s.player(Job{Operation: operation})
	whole := p.contract.shape("", false)
	for _, raw := range []json.RawMessage{evidence, partial} { // what was read at once wins
		var fields map[string]any
		if len(raw) == 0 {
			continue
		}
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, fmt.Errorf("completing a result of %s: %w", operation, err)
		}
		// Evidence may tell more than the result does.
		maps.DeleteFunc(fields, func(name string, _ any) bool { return whole.schema != nil && whole.property(name).schema == nil })
		maps.Copy(p.result, fields)
	}
	return p.check()
}

// control takes the page, plays, and gives the page back.
func (p *player) control(ctx context.Context, page *rod.Page, play func(context.Context) error) error {
	// Whatever waits ends with the page too: its browser may be killed.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(page.GetContext(), func() { cancel(context.Cause(page.GetContext())) })
	defer stop()
	options := tab.Options{Allowed: p.site.allows}
	if p.job.Account != nil {
		options.CloseIdle = p.job.Account.CloseIdle
	}
	t, err := tab.Attach(ctx, page, options)
	if err != nil {
		return p.wrap(ctx, nil, err)
	}
	p.tab = t
	err = p.wrap(ctx, nil, play(ctx))
	p.picture(ctx, err)
	p.trace.Unclean = p.giveBack(ctx, err != nil)
	p.trace.Calls = t.Calls()
	return err
}

// giveBackIn bounds the cleaning of a page, which has its time even when the
// job's is over.
const giveBackIn = 3 * time.Second

func (p *player) giveBack(ctx context.Context, failed bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackIn)
	defer cancel()
	var errs []error
	if failed {
		errs = append(errs, p.tab.Blank(ctx))
	}
	return errors.Join(append(errs, p.tab.Detach(ctx))...)
}

// begin plays a whole flow.
func (p *player) begin(ctx context.Context, steps []*Step) error {
	if err := p.viewport(ctx, steps); err != nil {
		return err
	}
	return p.steps(ctx, steps)
}

// viewport gives a flow the site's viewport or else the browser's own, whatever
// the one before has left, unless it begins with one itself.
func (p *player) viewport(ctx context.Context, steps []*Step) error {
	var v tab.Viewport
	switch {
	case len(steps) > 0 && steps[0].Type == "setViewport":
		return nil
	case p.site.viewport != nil:
		v = p.site.viewport.viewport
	}
	return p.tab.Viewport(ctx, v)
}

// steps plays steps in their order.
func (p *player) steps(ctx context.Context, steps []*Step) error {
	for _, s := range steps {
		if err := p.step(ctx, s); err != nil {
			return p.wrap(ctx, s, err)
		}
	}
	return nil
}

func (p *player) step(ctx context.Context, s *Step) error {
	first := p.last == nil
	s, done, err := p.aim(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	p.last, p.ignored, p.arrivals = s, map[int]bool{}, p.tab.Arrivals()
	entry := len(p.trace.Steps)
	p.trace.Steps = append(p.trace.Steps, TraceStep{
		File: s.File, Number: s.Number, Name: s.String(), Started: time.Now(), SignIn: p.signing,
	})
	defer p.ended(entry)
	if err := p.needsCode(ctx, s); err != nil {
		return err
	}
	if !first {
		if err := p.watchBefore(ctx, s); err != nil {
			return err
		}
	}
	limited, cancel := p.limit(ctx, s)
	defer cancel()
	if err := s.action.play(limited, p, s); err != nil {
		return p.orSignedOut(ctx, s, err)
	}
	p.regard(s)
	return p.orSignedOut(ctx, s, p.assert(ctx, s))
}

// ended notes in the trace that a step has ended.
func (p *player) ended(entry int) {
	step := &p.trace.Steps[entry]
	step.Took = time.Since(step.Started)
	if p.job.Watch != nil {
		p.job.Watch(*step)
	}
}

// limit bounds what a step does outside of the page's own waiting: a click's
// navigation, an answer that never comes.
func (p *player) limit(ctx context.Context, s *Step) (context.Context, context.CancelFunc) {
	limit := p.timeoutOf(s)
	_, nests := s.action.(nesting)
	switch {
	case nests || s.Type == "fill" || s.Type == "effect" || s.Type == "fail":
		return context.WithCancel(ctx)
	case s.Type != "navigate":
		limit = 2*limit + 2*time.Second // to look, then to act
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done within %s", limit))
}

// chose notes in the trace which of the alternatives was found.
func (p *player) chose(from selectors, won int) {
	if n := len(p.trace.Steps); n > 0 && won < len(from) {
		step := &p.trace.Steps[n-1]
		step.Choices = append(step.Choices, Choice{Of: from.String(), Listed: len(from), Won: won, Selector: from.alternative(won)})
	}
}
