package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
)

const (
	// recoverEvery is how often what was left behind is looked for.
	recoverEvery = time.Second
	// outagePause is how long no other process is taken for dead once the database
	// could not be reached: they, too, renew their leases first.
	outagePause = 10 * time.Second
	// recoverLimit bounds one look.
	recoverLimit = 30 * time.Second
)

// recover ends, until ctx ends, the sessions in the log that no process has any
// more. Their browsers have ended with their processes.
func (k *Keeper) recover(ctx context.Context) {
	tick := time.NewTicker(recoverEvery)
	defer tick.Stop()
	var outage time.Time
	for {
		if err := k.sweep(ctx, time.Since(outage) > outagePause); err != nil && ctx.Err() == nil {
			outage = time.Now()
			k.parts.Logger.Warn("sessions left behind were not all ended", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// sweep ends the sessions that are left behind at this moment: by this process,
// and by others if they may be taken for dead.
func (k *Keeper) sweep(ctx context.Context, others bool) error {
	ctx, cancel := context.WithTimeout(ctx, recoverLimit)
	defer cancel()
	instance := k.parts.Instance.ID()
	if err := k.moveTo(ctx, instance); err != nil {
		return err
	}
	var left []string
	if others {
		var err error
		if left, err = k.register.claim(ctx, k.known()); err != nil {
			return err
		}
	}
	known := k.known() // before those that may be added meanwhile
	ours, err := k.register.of(ctx, instance)
	if err != nil {
		return err
	}
	for _, id := range ours {
		if !slices.Contains(known, id) && !k.isKnown(id) {
			left = append(left, id)
		}
	}
	var errs []error
	for _, id := range left {
		if err := k.lose(ctx, id); err != nil {
			errs = append(errs, fmt.Errorf("end session %s: %w", id, err))
		}
	}
	return errors.Join(errs...)
}

// moveTo has this process go on with its sessions as the instance that it is
// now, after it was silent for long. Those that others have taken for lost are.
func (k *Keeper) moveTo(ctx context.Context, instance string) error {
	k.mu.Lock()
	here, mine := k.instance, k.ids()
	k.mu.Unlock()
	if here == instance {
		return nil
	}
	if len(mine) > 0 {
		moved, err := k.register.move(ctx, mine, instance)
		if err != nil {
			return err
		}
		for _, id := range mine {
			if s := k.session(id); s != nil && !slices.Contains(moved, id) {
				s.end(event.SessionLost)
			}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.instance = instance
	return nil
}

// lose records that a session is lost, unless its end is in the log, and strikes
// it out.
func (k *Keeper) lose(ctx context.Context, id string) error {
	stream := event.SessionStream(id)
	past, err := k.parts.Log.Stream(ctx, stream)
	if err != nil {
		return err
	}
	if len(past) == 0 {
		return k.register.leave(ctx, id)
	}
	if last := past[len(past)-1]; last.Type != event.TypeSessionClosed {
		e, err := event.New(event.SessionClosed{Reason: event.SessionLost})
		if err != nil {
			return err
		}
		first := past[0]
		e.Integration, e.Operation, e.Command, e.Caller, e.Account = first.Integration, first.Operation, first.Command, first.Caller, first.Account
		_, err = k.parts.Log.Append(ctx, stream, last, e)
		if errors.Is(err, eventlog.ErrConflict) {
			return nil // somebody else is at it; the next look tells
		}
		if err != nil {
			return err
		}
		k.parts.Logger.Warn("a session that was left behind is ended", "session", id)
	}
	return k.register.leave(ctx, id)
}

// known are the sessions that this process opens, has or ends.
func (k *Keeper) known() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ids()
}

// ids are those of mine. The mutex is held.
func (k *Keeper) ids() []string {
	return slices.AppendSeq(make([]string, 0, len(k.mine)), maps.Keys(k.mine))
}

func (k *Keeper) isKnown(id string) bool { return slices.Contains(k.known(), id) }
