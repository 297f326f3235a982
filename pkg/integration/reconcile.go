package integration

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
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

// flowTimeout bounds the reconcile flow of one look.
const flowTimeout = time.Minute

// unansweredFactor is how many times longer an application is waited for that did
// not answer the request of an effect: it may be held up in front of it.
const unansweredFactor = 3

// reconciler settles the commands of an integration that are in doubt: whose
// effect was started, and nobody knows whether it happened. It looks at the
// application by the site's reconcile flow, which changes nothing there. What no
// flow can tell waits for a person. Where it has settled that there was no
// effect, it looks again later, in case that the application was late.
type reconciler struct {
	player     *Player
	sites      *site.Set
	recorder   command.Recorder
	name       string                     // of the integration
	operations map[string]contracts.Entry // by name
	settle     time.Duration              // Config.ReconcileSettle
	checks     []time.Duration            // Config.LateChecks
	agenda     *agenda
	logger     *slog.Logger
}

func newReconciler(player *Player, sites *site.Set, recorder command.Recorder, in Integration, cfg Config) *reconciler {
	r := &reconciler{
		player: player, sites: sites, recorder: recorder, name: in.Name, operations: map[string]contracts.Entry{},
		settle: cfg.ReconcileSettle, checks: cfg.LateChecks, agenda: newAgenda(min(mostLooks, max(1, cfg.Contexts/contextsPerLook))),
		logger: player.logger.With("integration", in.Name),
	}
	for _, entry := range in.Entries() {
		r.operations[entry.Info().Name] = entry
	}
	return r
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
	begun := time.Now()
	found, err := r.player.reconcile(ctx, at, entry, d)
	if err != nil {
		return false, unclear(err)
	}
	if d.Late && !found.Applied {
		return false, nil
	}
	if left := r.agenda.left(d.ID, begun, r.settleTime(at, d)); !found.Applied && left > 0 {
		return false, &contracts.Error{
			Kind: contracts.Unavailable, RetryAfter: max(left, time.Second), Err: errTooEarly,
			Message: fmt.Sprintf("there is no trace of the command at the application, which may still be at work on it; that counts from %s on",
				begun.Add(left).UTC().Format(time.RFC3339)),
		}
	}
	return found.Applied, r.recorder.Settle(ctx, d, r.verdict(at, entry, d, found))
}

// settleTime is how long a site may go on with what a broken command has begun.
func (r *reconciler) settleTime(at *flow.Site, d *command.Doubt) time.Duration {
	settle := cmp.Or(at.Settle, r.settle)
	if !d.Answered {
		settle *= unansweredFactor
	}
	return settle
}

// verdict is what is recorded of what a reconcile flow has found.
func (r *reconciler) verdict(at *flow.Site, entry contracts.Entry, d *command.Doubt, found flow.Verdict) command.Verdict {
	v := command.Verdict{
		Applied: found.Applied, By: event.ByFlow, Named: at.NamesCommand(d.Operation), Creates: entry.Info().Creates, ChecksAfter: r.checks,
	}
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
	generation, err := p.register.Generation(ctx, d.Account)
	if err != nil {
		return found, err
	}
	err = p.visit(ctx, at, d.Operation, id, generation, func(page *rod.Page, account *flow.Account) (trace flow.Trace, err error) {
		job.Account = account
		found, trace, err = at.Reconcile(ctx, page, job)
		return trace, err
	})
	return found, err
}
