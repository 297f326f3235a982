package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
)

type siteCheck struct {
	siteFolder
	visitFlags
	Guest    bool     `xor:"who" help:"Try the public operations on the real site, without any account."`
	Input    []string `sep:"none" placeholder:"OPERATION=JSON" help:"What to try an operation with: 'search={\"query\":\"coffee\"}'. May be given several times."`
	Examples bool     `help:"Try operations that no input is given for with the example of their contract."`
	Picture  string   `placeholder:"FILE" help:"Where the picture of the page goes when a flow fails. Default: a new file in the temporary folder for each."`
}

// checked is what a check has found.
type checked struct {
	Site     string       `json:"site,omitempty"`
	Hash     string       `json:"hash,omitempty"`
	Faults   []foundFault `json:"faults"`
	Warnings []foundFault `json:"warnings"`
	Trials   []trial      `json:"trials,omitempty"`
}

type foundFault struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Step string `json:"step,omitempty"`
	Text string `json:"text"`
}

func foundFaults(faults flow.Faults) []foundFault {
	list := make([]foundFault, len(faults))
	for i, f := range faults {
		list[i] = foundFault(f)
	}
	return list
}

// trial is one thing that was tried on the real site.
type trial struct {
	What    string        `json:"what"`
	Outcome string        `json:"outcome"` // ok, failed, not run
	Note    string        `json:"note,omitempty"`
	TookMS  int64         `json:"tookMs"`
	Failure *shownFailure `json:"failure,omitempty"`
	Steps   []shownStep   `json:"steps"`
}

// The outcomes of a trial.
const (
	worked = "ok"
	failed = "failed"
	notRun = "not run"
)

// errTrials says that something did not work; it has been printed.
var errTrials = errors.New("not all of it works at the real site")

func (c *siteCheck) Run(ctx context.Context, p *printer, con *console) error {
	given, err := inputsOf(c.Input)
	if err != nil {
		return err
	}
	site, entries, err := c.siteFolder.open()
	var faults flow.Faults
	if errors.As(err, &faults) {
		found := checked{Faults: foundFaults(faults), Warnings: []foundFault{}}
		return errors.Join(found.print(p), errFaults)
	}
	if err != nil {
		return err
	}
	found := checked{Site: site.Name, Hash: site.Hash, Faults: []foundFault{}, Warnings: foundFaults(site.Warnings())}
	if !c.given() && !c.Guest {
		if c.credentialFlags != (credentialFlags{}) || len(given) > 0 || c.Examples {
			return errors.New("trying flows needs an account (--account, --username) or --guest")
		}
		return found.print(p)
	}
	for name := range given {
		if !site.Has(name) {
			return fmt.Errorf("--input %s: the site has no flow for it", name)
		}
	}
	if err := c.try(ctx, con, &found, site, entries, given); err != nil {
		return err
	}
	if err := found.print(p); err != nil {
		return err
	}
	for _, t := range found.Trials {
		if t.Outcome == failed {
			return errTrials
		}
	}
	return nil
}

// try signs in and plays the flows without an effect at the real site.
func (c *siteCheck) try(ctx context.Context, con *console, found *checked, site *flow.Site, entries map[string]contracts.Entry, given inputs) error {
	visitor, err := c.visitFlags.open(ctx, con, site)
	if err != nil {
		return err
	}
	defer visitor.close()
	e := &examination{siteCheck: c, browser: visitor}
	watch, done := con.watcher()
	defer done()
	e.watch = watch
	if visitor.account != nil {
		found.Trials = append(found.Trials, e.stranger(ctx))
		in := e.signIn(ctx)
		if found.Trials = append(found.Trials, in); in.Outcome == failed {
			return nil
		}
	}
	for _, name := range site.Operations() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		found.Trials = append(found.Trials, e.operation(ctx, entries[name], given))
	}
	return nil
}

// examination tries a site.
type examination struct {
	*siteCheck
	browser *siteBrowser
	watch   func(flow.TraceStep)
}

// tried times a trial and describes what became of it.
func (e *examination) tried(what string, try func() (flow.Trace, error)) trial {
	began := time.Now()
	trace, err := try()
	t := trial{What: what, Outcome: worked, TookMS: time.Since(began).Milliseconds(), Steps: shownSteps(trace)}
	if err != nil {
		t.Outcome, t.Failure = failed, shown(err, what, e.Picture)
	}
	return t
}

// signInLimit bounds the sign-in, and the look at the site before it.
const signInLimit = 2 * time.Minute

var errProvesNothing = errors.New("signedIn holds for a visitor whom nobody has signed in, so it proves nothing: " +
	"name something that only the signed-in see at home")

// stranger looks whether signedIn is false where nobody has signed in.
func (e *examination) stranger(ctx context.Context) trial {
	ctx, cancel := context.WithTimeout(ctx, signInLimit)
	defer cancel()
	return e.tried("signedIn is false for a stranger", func() (trace flow.Trace, err error) {
		err = e.browser.visitAsStranger(ctx, func(page *browser.Page) error {
			var holds bool
			if holds, trace, err = e.browser.site.LooksSignedIn(ctx, page.Rod()); err == nil && holds {
				err = errProvesNothing
			}
			return err
		})
		return trace, err
	})
}

func (e *examination) signIn(ctx context.Context) trial {
	ctx, cancel := context.WithTimeout(ctx, signInLimit)
	defer cancel()
	return e.tried("sign-in", func() (trace flow.Trace, err error) {
		err = e.browser.visit(ctx, func(page *browser.Page) error {
			trace, err = e.browser.site.SignIn(ctx, page.Rod(), e.browser.account)
			return err
		})
		return trace, err
	})
}

// operation plays an operation's flow, if it only reads and its input is known.
func (e *examination) operation(ctx context.Context, entry contracts.Entry, given inputs) trial {
	op := entry.Info()
	why := ""
	input, hasInput := given[op.Name]
	if !hasInput && e.Examples {
		input = exampleInput(entry)
	}
	request, err := requestOf(entry, input)
	switch {
	case op.Effect != contracts.NoEffect:
		why = fmt.Sprintf("it has an effect (%s); try it with: igw site run %s %s --until effect", op.Effect, e.Folder, op.Name)
	case e.browser.account == nil && !e.browser.site.IsPublic(op.Name) && e.browser.site.CanSignIn():
		why = "it is played signed in"
	case err != nil && !hasInput:
		why = fmt.Sprintf("%v; try it with: --input '%s=%s', or with --examples", err, op.Name, exampleInput(entry))
	case err != nil:
		return trial{What: op.Name, Outcome: failed, Failure: &shownFailure{Message: err.Error()}, Steps: []shownStep{}}
	}
	if why != "" {
		return trial{What: op.Name, Outcome: notRun, Note: why, Steps: []shownStep{}}
	}
	ctx, cancel := context.WithTimeout(ctx, op.Timeout)
	defer cancel()
	var result json.RawMessage
	t := e.tried(op.Name, func() (trace flow.Trace, err error) {
		err = e.browser.visit(ctx, func(page *browser.Page) error {
			result, trace, err = e.browser.site.Play(ctx, page.Rod(), flow.Job{
				Operation: op.Name, Request: request, CommandID: "check", StartedAt: time.Now().UTC(), Account: e.browser.account, Watch: e.watch,
			})
			return err
		})
		return trace, err
	})
	if t.Outcome == worked {
		t.Note = lengths(result)
	}
	return t
}

// lengths tells how long the lists of a result are: an empty one may be that
// of a flow which looks in the wrong place.
func lengths(result json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(result, &fields) != nil {
		return ""
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if rows, ok := fields[name].([]any); ok {
			texts = append(texts, fmt.Sprintf("%s: %d", name, len(rows)))
		}
	}
	return strings.Join(texts, ", ")
}

func (c checked) print(p *printer) error {
	if p.json {
		return p.encode(c)
	}
	if len(c.Faults) > 0 {
		fmt.Fprintf(p.w, "%d %s:\n", len(c.Faults), plural(len(c.Faults), "fault"))
		c.printFaults(p, c.Faults)
		return nil
	}
	fmt.Fprintf(p.w, "%s: no faults, %d %s\n", printable(c.Site), len(c.Warnings), plural(len(c.Warnings), "warning"))
	c.printFaults(p, c.Warnings)
	for _, t := range c.Trials {
		if err := t.print(p); err != nil {
			return err
		}
	}
	return nil
}

func (c checked) printFaults(p *printer, list []foundFault) {
	for _, f := range list {
		fmt.Fprintln(p.w, "  "+printable(flow.Fault(f).String()))
	}
}

func (t trial) print(p *printer) error {
	fmt.Fprintf(p.w, "\n%s: %s", t.What, t.Outcome)
	if t.Outcome == notRun {
		fmt.Fprintf(p.w, ": %s\n", printable(t.Note))
		return nil
	}
	note := t.Note
	if note != "" {
		note = "; " + note
	}
	fmt.Fprintf(p.w, " (%s%s)\n", brief(time.Duration(t.TookMS)*time.Millisecond), note)
	if err := printSteps(p.w, t.Steps); err != nil || t.Failure == nil {
		return err
	}
	return t.Failure.print(p.w)
}
