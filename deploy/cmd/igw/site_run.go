package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
)

type siteRun struct {
	siteFolder
	Operation string `arg:"" help:"Operation to carry out."`
	Input     string `placeholder:"JSON" help:"The request's fields side by side, as placeholders name them: '{\"query\":\"coffee\"}'. See igw site contract."`
	visitFlags
	Until           string `enum:",effect" default:"" placeholder:"effect" help:"Stop before the point of no return, once all that the act needs is there."`
	VerifyReconcile bool   `help:"Show that the reconcile flow says no before the effect, and yes after it."`
	Yes             bool   `help:"Do not ask before an operation with an effect. Needed where there is no terminal to ask on."`
	Picture         string `placeholder:"FILE" help:"Where the picture of the page goes when the flow fails. Default: a new file in the temporary folder."`
}

// played is what became of one playing, as run and check tell it.
type played struct {
	Operation string          `json:"operation"`
	Result    json.RawMessage `json:"result,omitempty"`
	Stopped   bool            `json:"stopped,omitempty"` // before the effect, as was asked for
	Before    *lookedAfter    `json:"reconcileBefore,omitempty"`
	After     *lookedAfter    `json:"reconcileAfter,omitempty"`
	Failure   *shownFailure   `json:"failure,omitempty"`
	Steps     []shownStep     `json:"steps"`
}

// The errors of a run, beside the failure of its flow.
var (
	errAppliedBefore   = errors.New("the reconcile flow says that the effect has happened, before it did: nothing was done")
	errNotAppliedAfter = errors.New("the reconcile flow says that the effect has not happened, after it did")
)

func (c *siteRun) Run(ctx context.Context, p *printer, con *console) error {
	site, entries, err := c.openSound(con)
	if err != nil {
		return err
	}
	if !site.Has(c.Operation) {
		return fmt.Errorf("the site %s has no flow for %q; it has flows for: %s", site.Name, c.Operation, strings.Join(site.Operations(), ", "))
	}
	entry := entries[c.Operation]
	request, err := requestOf(entry, c.Input)
	if err != nil {
		return err
	}
	if err := c.permitted(ctx, con, site, entry.Info()); err != nil {
		return err
	}
	visitor, err := c.visitFlags.open(ctx, con, site)
	if err != nil {
		return err
	}
	defer visitor.close()
	r := &rehearsal{browser: visitor, verify: c.VerifyReconcile, picture: c.Picture}
	r.job = flow.Job{
		Operation: c.Operation, Request: request, CommandID: uuid.Must(uuid.NewV7()).String(), StartedAt: time.Now().UTC(),
		Account: visitor.account, Effect: r, StopAtEffect: c.Until != "",
	}
	var done func()
	r.job.Watch, done = con.watcher()
	told, err := r.carryOut(ctx, entry.Info())
	done()
	return errors.Join(told.print(p, entry), err)
}

// permitted sees to it that the flow may be played: with an account where one
// is needed, and with an operator's word where something comes of it.
func (c *siteRun) permitted(ctx context.Context, con *console, site *flow.Site, op contracts.Info) error {
	switch {
	case !c.given() && !site.IsPublic(op.Name) && site.CanSignIn():
		return fmt.Errorf("%s is played signed in: name an account with --account or --username", op.Name)
	case c.Until != "" && c.VerifyReconcile:
		return errors.New("--until effect stops before there is anything for --verify-reconcile to find")
	case op.Effect == contracts.NoEffect && (c.Until != "" || c.VerifyReconcile):
		return fmt.Errorf("%s has no effect to stop at or to look for", op.Name)
	case c.VerifyReconcile && !site.CanReconcile(op.Name):
		return fmt.Errorf("%s has no reconcile flow to verify", op.Name)
	case op.Effect == contracts.NoEffect, c.Until != "", c.Yes:
		return nil
	}
	fmt.Fprintf(con.stderr, "This carries out %s at %s, in earnest. Its effect: %s.\n", op.Name, site.BaseURL, op.Effect)
	if also := site.SideEffects(op.Name); len(also) > 0 {
		fmt.Fprintf(con.stderr, "Besides, it %s.\n", printable(strings.Join(also, ", ")))
	}
	return confirm(ctx, con, "run")
}

func (t played) print(p *printer, entry contracts.Entry) error {
	if p.json {
		return p.encode(t)
	}
	if err := printSteps(p.w, t.Steps); err != nil {
		return err
	}
	for _, look := range []*lookedAfter{t.Before, t.After} {
		if look != nil {
			fmt.Fprintln(p.w, printable(look.String()))
		}
	}
	switch {
	case t.Failure != nil:
		return t.Failure.print(p.w)
	case t.Stopped:
		fmt.Fprintln(p.w, "stopped before the effect: all that its act needs is there, and nothing was done")
		return nil
	}
	_, result := entry.New() // whose fields have an order
	if err := json.Unmarshal(t.Result, result); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	return p.encode(result)
}

// rehearsal carries out one operation outside of any service: nothing is
// recorded, and nobody but the operator is told.
type rehearsal struct {
	browser *siteBrowser
	job     flow.Job
	verify  bool
	picture string // the file that a picture goes to; empty for a new one

	vars   map[string]any // as they stood at the effect step
	before *lookedAfter
	failed error // why Started refused the effect
}

// carryOut plays the flow, and the reconcile flow around its effect where that
// is to be verified.
func (r *rehearsal) carryOut(ctx context.Context, op contracts.Info) (told played, err error) {
	limit := op.Timeout
	if r.verify {
		limit += reconcileIn // before the effect
	}
	told = played{Operation: op.Name}
	err = r.play(ctx, limit, &told)
	told.Before = r.before
	if r.verify && r.vars != nil && r.failed == nil {
		told.After, err = r.lookAfter(ctx, err)
	}
	return told, err
}

func (r *rehearsal) play(ctx context.Context, limit time.Duration, told *played) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var trace flow.Trace
	err := r.browser.visit(ctx, func(page *browser.Page) (err error) {
		told.Result, trace, err = r.browser.site.Play(ctx, page.Rod(), r.job)
		return err
	})
	told.Steps = shownSteps(trace)
	switch {
	case errors.Is(err, flow.ErrStopped):
		told.Stopped = true
		return nil
	case r.failed != nil:
		err = r.failed
	}
	if err != nil {
		told.Failure = shown(err, r.job.Operation, r.picture)
		return fmt.Errorf("%s failed", r.job.Operation)
	}
	return nil
}
