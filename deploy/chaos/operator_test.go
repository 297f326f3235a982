package chaos_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
)

// operator settles the commands in doubt that the services leave to a person,
// since a session of their user was open meanwhile. It looks at the application, and
// says what became of them. So it does with an effect that comes too late.
type operator struct {
	world  *world
	cancel context.CancelFunc
	done   chan struct{}

	known map[string]time.Time // by command: since when the operator knows that it is in doubt
	said  map[string]bool      // by command: what became of it
}

// operate has an operator work until it is stopped.
func (w *world) operate(ctx context.Context) *operator {
	ctx, cancel := context.WithCancel(ctx)
	o := &operator{world: w, cancel: cancel, done: make(chan struct{}), known: map[string]time.Time{}, said: map[string]bool{}}
	go func() {
		defer close(o.done)
		for ctx.Err() == nil {
			o.look(ctx, "effect-unknown")
			o.look(ctx, "failed")
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}()
	return o
}

func (o *operator) stop() {
	o.cancel()
	<-o.done
}

// look goes over the commands that are in a state, as far as they can be settled.
func (o *operator) look(ctx context.Context, state string) {
	var all audit.Commands
	query := url.Values{"state": {state}, "limit": {"500"}}
	if err := o.world.call(ctx, adminToken, http.MethodGet, audit.ListCommands.Path+"?"+query.Encode(), nil, &all); err != nil {
		return // the next time
	}
	for _, c := range all.Commands {
		a := o.world.accountOf(c.AccountID)
		accepted := o.world.when(event.Event{Command: c.CommandID, Type: event.TypeCommandAccepted, Time: c.AcceptedAt})
		switch {
		case a == nil, state == "failed" && c.EffectState != "reconciled-not-applied":
		case o.world.beside(a, accepted):
			o.consider(ctx, a, c.CommandID, state == "failed", timing.person)
		default:
			// No look can tell what nothing names from another command's. Nor where
			// the log has lost that a session had ended before.
			o.consider(ctx, a, c.CommandID, state == "failed", 3*timing.person)
		}
	}
}

// consider settles a command once it is certain what became of it, and the flow
// has had the time to tell.
func (o *operator) consider(ctx context.Context, a *account, command string, ended bool, patience time.Duration) {
	since, known := o.known[command]
	if !known {
		o.known[command] = time.Now()
		return
	}
	applied, certain := o.world.shows(a.application, command)
	switch waited := time.Since(since); {
	case applied && waited > patience:
		o.say(ctx, command, true)
	case !applied && certain && !ended && waited > patience:
		o.say(ctx, command, false)
	}
}

// say says what became of a command. Where that does not come through, the
// command is still there the next time.
func (o *operator) say(ctx context.Context, command string, applied bool) {
	o.said[command] = applied
	path := strings.Replace(audit.ReconcileCommand.Path, "{commandId}", url.PathEscape(command), 1)
	var settled audit.Command
	_ = o.world.call(ctx, adminToken, http.MethodPost, path, audit.Statement{Applied: &applied, Note: "as the application shows"}, &settled)
}

// shows says whether an application has had the effect of a command, and whether that is
// certain: it is not while a request of the command is under way.
func (w *world) shows(a *application, command string) (applied, certain bool) {
	certain = w.origins.idle(command)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.effects {
		if e.by == command {
			return true, true
		}
	}
	return false, certain
}

// idle says whether no request of a command is under way at the application.
func (o *origins) idle(command string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.busy[command] == 0
}

// comparePersons compares what persons did in sessions and what they said with
// what the log says, and with what the callers of their commands were told.
func (r *report) comparePersons(o *outcome) {
	for _, s := range o.commands {
		said, settled := r.world.operator.said[s.id]
		if s.by == event.ByOperator && (!settled || said != s.applied) {
			r.wrong("commands that ended otherwise than a person said", o, "command %s", s.id)
		}
		if s.by == event.ByFlow && s.applied && len(s.effects) == 0 && o.didByHand() {
			r.wrong("commands settled by what a person did", o, "command %s", s.id)
		}
	}
	for _, q := range o.requests {
		for _, a := range q.all() {
			s := o.command(a.command)
			if s == nil || s.by != event.ByOperator || !a.definite || a.at.Before(s.settled) {
				continue
			}
			if a.outcome != outcomeOf(s.applied) {
				r.wrong("answers that are not what a person said", o, "%s", a)
			}
		}
	}
}

// didByHand says whether a person did in a session what the trial wants.
func (t *trial) didByHand() bool {
	for _, e := range t.account.application.effects {
		if e.by == byHand && t.wants(e.change) {
			return true
		}
	}
	return false
}
