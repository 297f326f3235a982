package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"integration.gateway/pkg/browser"
)

const (
	// reconcileIn bounds one look of a reconcile flow.
	reconcileIn = time.Minute
	// appearsIn is how long an application may take to show what it was told
	// to do, and lookAgain how often it is looked for meanwhile.
	appearsIn = 15 * time.Second
	lookAgain = 2 * time.Second
)

// lookedAfter is what a reconcile flow found out.
type lookedAfter struct {
	when     string
	Applied  bool            `json:"applied"`
	Evidence json.RawMessage `json:"evidence,omitempty"`
	Looks    int             `json:"looks"` // how often it was played
	Failure  *shownFailure   `json:"failure,omitempty"`
	Steps    []shownStep     `json:"steps"`
}

func (l *lookedAfter) String() string {
	if l.Failure != nil {
		return fmt.Sprintf("reconcile %s the effect: failed: %s", l.when, l.Failure.Message)
	}
	text := fmt.Sprintf("reconcile %s the effect: applied: %v", l.when, l.Applied)
	if len(l.Evidence) > 0 && string(l.Evidence) != "null" {
		text += ", evidence: " + string(l.Evidence)
	}
	if l.Looks > 1 {
		text += fmt.Sprintf(" (at look number %d)", l.Looks)
	}
	return text
}

// Started has the reconcile flow look before the effect, on a page of its own
// beside the one that waits. What it should not find keeps the effect from
// being begun.
func (r *rehearsal) Started(ctx context.Context, _ string, vars map[string]any) error {
	// A command's vars are stored in between, as JSON.
	text, err := json.Marshal(vars)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		err = d.Decode(&r.vars)
	}
	if err != nil || !r.verify {
		return err
	}
	r.before, r.failed = r.look(ctx, "before")
	if r.failed == nil && r.before.Applied {
		r.failed = errAppliedBefore
	}
	return r.failed
}

// Act allows the act: there is nobody else who could forbid it.
func (r *rehearsal) Act(context.Context) error { return nil }

// Holds says that it is still allowed.
func (r *rehearsal) Holds() bool { return true }

// look plays the reconcile flow once.
func (r *rehearsal) look(ctx context.Context, when string) (*lookedAfter, error) {
	ctx, cancel := context.WithTimeout(ctx, reconcileIn)
	defer cancel()
	job := r.job
	job.Vars, job.Request, job.Effect = r.vars, r.job.Request, nil
	found := &lookedAfter{when: when, Looks: 1}
	err := r.browser.visit(ctx, func(page *browser.Page) error {
		verdict, trace, err := r.browser.site.Reconcile(ctx, page.Rod(), job)
		found.Applied, found.Evidence, found.Steps = verdict.Applied, verdict.Evidence, shownSteps(trace)
		return err
	})
	if err != nil {
		found.Failure = shown(err, r.job.Operation+"-reconcile", "")
		return found, fmt.Errorf("the reconcile flow failed %s the effect: %w", when, err)
	}
	return found, nil
}

// lookAfter has the reconcile flow look until it finds the effect. It does so,
// too, when the flow failed once its effect had begun.
func (r *rehearsal) lookAfter(ctx context.Context, earlier error) (*lookedAfter, error) {
	deadline := time.Now().Add(appearsIn)
	for looks := 1; ; looks++ {
		found, err := r.look(ctx, "after")
		found.Looks = looks
		if err == nil && !found.Applied {
			err = errNotAppliedAfter
		}
		var unfit error
		if err == nil && earlier != nil {
			_, unfit = r.browser.site.Complete(r.job.Operation, nil, found.Evidence)
		}
		if !errors.Is(err, errNotAppliedAfter) || time.Now().After(deadline) {
			return found, errors.Join(earlier, err, unfit)
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return found, errors.Join(earlier, err)
		}
	}
}
