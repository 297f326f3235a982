package integration

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/pkg/command"
)

const (
	// lookEvery is how often an instance asks for commands in doubt whose look
	// is due.
	lookEvery = time.Second
	// lookTimeout bounds a whole look: what it reads and records too.
	lookTimeout = flowTimeout + 20*time.Second
	// noteTimeout bounds the note of how a late check ended.
	noteTimeout = 10 * time.Second
	// mostLooks bounds the looks of one integration at once in one process, and
	// contextsPerLook the share of the browser that they take.
	mostLooks, contextsPerLook = 4, 8
)

// run looks at commands in doubt until ctx ends, and then waits for its looks.
func (r *reconciler) run(ctx context.Context) {
	var looks sync.WaitGroup
	defer looks.Wait()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		for _, l := range r.next(ctx) {
			looks.Go(func() {
				made := r.look(ctx, l)
				r.agenda.end(l, made)
			})
		}
		select {
		case <-tick.C:
		case <-r.agenda.ended:
		case <-ctx.Done():
			return
		}
	}
}

// next returns the looks that begin now, which its caller makes and ends.
func (r *reconciler) next(ctx context.Context) []command.Look {
	limited, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	all, err := r.recorder.Register.Looks(limited, r.name)
	if err != nil {
		if ctx.Err() == nil {
			r.logger.Warn("commands in doubt could not be looked up", "error", err)
		}
		return nil
	}
	return r.agenda.begin(all)
}

// look makes one look, unless another instance does.
func (r *reconciler) look(ctx context.Context, l command.Look) (made bool) {
	limited, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	claimed, err := r.recorder.Register.Claim(limited, l)
	if err != nil && ctx.Err() == nil {
		r.logger.Warn("a command in doubt could not be claimed", "command", l.ID, "error", err)
	}
	if !claimed {
		return false
	}
	d, err := r.recorder.Doubt(limited, l.ID)
	if err != nil {
		if ctx.Err() == nil && contracts.AsError(err).Kind != contracts.Invalid { // it is settled already
			r.logger.Warn("a command in doubt could not be read", "command", l.ID, "error", err)
		}
		return true
	}
	applied, err := r.withoutPanic(limited, d)
	r.report(ctx, d, applied, err)
	if l.Late {
		r.checked(ctx, l, err)
	}
	return true
}

// checked notes how a late check ended, unless the effect was found: then there
// is nothing to note any more.
func (r *reconciler) checked(ctx context.Context, l command.Look, failure error) {
	limited, cancel := context.WithTimeout(ctx, noteTimeout)
	defer cancel()
	var gaveUp bool
	var err error
	switch {
	case failure == nil:
		err = r.recorder.Register.Checked(limited, l)
	case contracts.AsError(failure).Kind == contracts.Busy:
		// It has found something, and another command is about to do the same: that one ends.
	default:
		gaveUp, err = r.recorder.Register.GiveUp(limited, l)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		r.logger.Warn("a late check could not be noted", "command", l.ID, "error", err)
	case gaveUp:
		r.logger.Warn("a command that the application did not show could not be looked at again to the end", "command", l.ID)
	}
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
	case err == nil && d.Late && !applied:
		log.Info("a command that was settled as not applied still shows no trace")
	case err == nil && d.Late: // Recorder.Late tells
	case err == nil:
		log.Info("a command in doubt is settled", "applied", applied)
	case errors.Is(err, command.ErrSettled), ctx.Err() != nil:
	case errors.Is(err, errTooEarly):
		log.Info("a command in doubt has left no trace so far")
	case d.Late:
		e := contracts.AsError(err)
		log.Warn("a late check could not be made", "message", e.Message, "cause", e.Err)
	default:
		e := contracts.AsError(err)
		log.Warn("a command stays in doubt", "message", e.Message, "cause", e.Err)
	}
}
