package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/go-rod/rod"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/site"
	"integration.gateway/pkg/vault"
)

const (
	// lookEvery is how often an instance asks for commands in doubt whose look
	// is due.
	lookEvery = time.Second
	// flowTimeout bounds the reconcile flow of one look.
	flowTimeout = time.Minute
	// lookTimeout bounds a whole look: what it reads and records too.
	lookTimeout = flowTimeout + 20*time.Second
)

// reconciler settles the commands of an integration that are in doubt: whose
// effect was started, and nobody knows whether it happened. It looks at the
// application by the site's reconcile flow, which changes nothing there, one
// command at a time. What no flow can tell waits for a person.
type reconciler struct {
	player     *Player
	sites      *site.Set
	recorder   command.Recorder
	name       string                     // of the integration
	operations map[string]contracts.Entry // by name
	settle     time.Duration              // Config.ReconcileSettle
	logger     *slog.Logger
}

func newReconciler(player *Player, sites *site.Set, recorder command.Recorder, in Integration, settle time.Duration) *reconciler {
	r := &reconciler{
		player: player, sites: sites, recorder: recorder, name: in.Name, operations: map[string]contracts.Entry{},
		settle: settle, logger: player.logger.With("integration", in.Name),
	}
	for _, entry := range in.Entries() {
		r.operations[entry.Info().Name] = entry
	}
	return r
}

// run looks at commands in doubt until ctx ends.
func (r *reconciler) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if r.next(ctx) && ctx.Err() == nil {
			continue
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// next looks at the command whose look is due the longest, if there is one.
func (r *reconciler) next(ctx context.Context) (looked bool) {
	limited, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	id, err := r.recorder.Register.ClaimDoubt(limited, r.name)
	if err != nil {
		if ctx.Err() == nil {
			r.logger.Warn("commands in doubt could not be looked up", "error", err)
		}
		return false
	}
	if id == "" {
		return false
	}
	d, err := r.recorder.Doubt(limited, id)
	if err != nil {
		if ctx.Err() == nil && contracts.AsError(err).Kind != contracts.Invalid { // it is settled already
			r.logger.Warn("a command in doubt could not be read", "command", id, "error", err)
		}
		return true
	}
	applied, err := r.withoutPanic(limited, d)
	r.report(ctx, d, applied, err)
	return true
}

// withoutPanic is byFlow where nothing around it recovers: one command that a
// flow cannot bear must not end the process, and all others with it.
func (r *reconciler) withoutPanic(ctx context.Context, d *command.Doubt) (applied bool, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v\n%s", value, debug.Stack())
		}
	}()
	return r.byFlow(ctx, d)
}

// report logs how a look ended. A command that stays in doubt is looked at
// ever less often, so that it does not fill the log.
func (r *reconciler) report(ctx context.Context, d *command.Doubt, applied bool, err error) {
	log := r.logger.With("command", d.ID, "operation", d.Operation, "since", d.Since)
	switch {
	case err == nil:
		log.Info("a command in doubt is settled", "applied", applied)
	case errors.Is(err, command.ErrSettled), ctx.Err() != nil:
	case errors.Is(err, errTooEarly):
		log.Info("a command in doubt has left no trace so far")
	default:
		e := contracts.AsError(err)
		log.Warn("a command stays in doubt", "message", e.Message, "cause", e.Err)
	}
}

// errTooEarly says that the application may still be at work.
var errTooEarly = errors.New("the settle time is not over")

// byFlow has the site's reconcile flow find out what became of a command, and
// settles it. Its errors are as audit.Settle tells them, and quote nothing.
func (r *reconciler) byFlow(ctx context.Context, d *command.Doubt) (applied bool, err error) {
	entry := r.operations[d.Operation]
	at, err := r.sites.Get(d.Site)
	if err != nil || entry == nil || !at.CanReconcile(d.Operation) {
		return false, contracts.Errorf(contracts.Invalid,
			"the site %s has no flow here that finds out what became of %s; look at the application, and say whether it happened", d.Site, d.Operation)
	}
	switch err := r.recorder.Open(ctx, d); {
	case errors.Is(err, vault.ErrErased):
		return false, contracts.Errorf(contracts.Invalid,
			"the account is erased, so no flow can look for it any more; look at the application, and say whether it happened")
	case err != nil:
		return false, unclear(err)
	}
	begun, err := r.recorder.Register.Now(ctx) // by the clock that dated the doubt
	if err != nil {
		return false, unclear(err)
	}
	found, err := r.player.reconcile(ctx, at, entry, d)
	if err != nil {
		return false, unclear(err)
	}
	if until := d.Since.Add(r.settle); !found.Applied && begun.Before(until) {
		return false, &contracts.Error{
			Kind: contracts.Unavailable, RetryAfter: max(until.Sub(begun), time.Second), Err: errTooEarly,
			Message: fmt.Sprintf("there is no trace of the command at the application, which may still be at work on it; that counts from %s on", until.UTC().Format(time.RFC3339)),
		}
	}
	return found.Applied, r.recorder.Settle(ctx, d, r.verdict(at, entry, d, found))
}

// verdict is what is recorded of what a reconcile flow has found.
func (r *reconciler) verdict(at *flow.Site, entry contracts.Entry, d *command.Doubt, found flow.Verdict) command.Verdict {
	v := command.Verdict{Applied: found.Applied, By: event.ByFlow}
	if string(found.Evidence) != "null" {
		v.Evidence = found.Evidence
	}
	if !found.Applied {
		return v
	}
	_, result := entry.New()
	whole, err := at.Complete(d.Operation, d.Partial, found.Evidence)
	if err == nil {
		err = json.Unmarshal(whole, result)
	}
	if err != nil {
		// The effect happened all the same.
		r.logger.Warn("what the reconcile flow found does not make a whole result", "command", d.ID, "operation", d.Operation, "error", err)
		return v
	}
	v.Result = result
	return v
}

// unclear is the answer when a look did not find anything out. The
// application's own words, which can name a person, are left out.
func unclear(err error) error {
	e := &contracts.Error{Kind: contracts.Unavailable, RetryAfter: retryAfter, Err: err}
	var failure *flow.Failure
	if errors.As(err, &failure) {
		told := *failure
		if told.Quotes {
			told.Message, e.Err = "it refused in words of its own", nil
		}
		e.Message = "what became of the command could not be found out at the application: " + told.Error()
		return e
	}
	e.Message = "what became of the command could not be looked up: " + contracts.AsError(err).Message
	return e
}

// reconcile plays the reconcile flow of a command's operation in the account's
// browser, beside whatever else is going on there.
func (p *Player) reconcile(ctx context.Context, at *flow.Site, op contracts.Entry, d *command.Doubt) (found flow.Verdict, err error) {
	ctx, cancel := context.WithTimeout(ctx, flowTimeout)
	defer cancel()
	req, _ := op.New()
	if err := json.Unmarshal(d.Request, req); err != nil {
		// The decoder's own text can quote the request, so it is not kept.
		return found, fmt.Errorf("the stored request of command %s is not one of %s", d.ID, d.Operation)
	}
	fields, err := flow.Flat(req)
	if err != nil {
		return found, err
	}
	job := flow.Job{Operation: d.Operation, Request: fields, CommandID: d.ID, StartedAt: d.StartedAt, Vars: d.Vars}
	id := bus.Identity{CommandID: d.ID, CallerID: d.Caller, AccountID: d.Account}
	err = p.visit(ctx, at, d.Operation, id, func(page *rod.Page, account *flow.Account) (trace flow.Trace, err error) {
		job.Account = account
		found, trace, err = at.Reconcile(ctx, page, job)
		return trace, err
	})
	return found, err
}
