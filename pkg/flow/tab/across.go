package tab

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// part is those goals of a look that one island can meet.
type part struct {
	at    *island
	of    []int  // their places among all goals
	goals []Goal // as the island names them
	ask   ask
	found Found
	err   error
}

// across is Look for goals in several islands, which are watched side by side.
// Of what is met at once, the first listed goal counts, as in one island.
func (t *Tab) across(ctx context.Context, doc document, deadline time.Time, goals []Goal, first Found) (Found, error) {
	elsewhere := first.Elsewhere
	for {
		t.mu.Lock()
		changed := t.changed
		t.mu.Unlock()
		islands := append(t.frames(ctx), island{document: doc, root: true})
		parts := divide(islands, goals, elsewhere)
		last := !time.Now().Before(deadline)
		result, won := t.race(ctx, parts, min(slice, time.Until(deadline)), len(goals))
		if won != nil && won.err == nil {
			met, err := t.conclude(ctx, islands, won, &result, deadline)
			if met || err != nil {
				return result, err
			}
		}
		settled := won == nil // else it was met, but is covered
		for _, p := range parts {
			if p.err != nil && (!errors.Is(p.err, errGone) || len(p.at.path) == 0) {
				return Found{}, p.err
			}
			settled = settled && p.err == nil && len(p.found.Elsewhere) == 0
		}
		if last {
			return result, nil
		}
		if !settled {
			if err := t.wait(ctx, changed, min(pauseBetween, max(time.Until(deadline), time.Millisecond))); err != nil {
				return Found{}, err
			}
		}
	}
}

// pauseBetween is how long to wait for a frame to come before looking again.
const pauseBetween = 50 * time.Millisecond

// divide hands each goal to the island that can meet it.
func divide(islands []island, goals []Goal, elsewhere []int) []*part {
	var parts []*part
	for i, goal := range goals {
		at := &islands[len(islands)-1]
		if slices.Contains(elsewhere, i) {
			if at = islandOf(islands, goal.Frame); at == nil {
				continue
			}
			goal.Frame = goal.Frame[len(at.path):]
		}
		k := slices.IndexFunc(parts, func(p *part) bool { return p.at == at })
		if k < 0 {
			k = len(parts)
			parts = append(parts, &part{at: at})
		}
		parts[k].of = append(parts[k].of, i)
		parts[k].goals = append(parts[k].goals, goal)
	}
	return parts
}

// race looks in all parts until one of them meets a goal, and returns that
// part; the result then has that goal, else the reasons of all.
func (t *Tab) race(ctx context.Context, parts []*part, limit time.Duration, goals int) (Found, *part) {
	ended := make(chan *part, len(parts))
	var wg sync.WaitGroup
	for _, p := range parts {
		p.ask = t.ask(p.goals, limit)
		p.ask.Hold = true
		wg.Go(func() {
			p.err = t.call(ctx, p.at.document, "wait", p.ask, &p.found)
			ended <- p
		})
	}
	stopped := false
	for range parts {
		p := <-ended
		if !stopped && (p.err != nil || p.found.Goal >= 0 || len(p.found.Elsewhere) > 0) {
			stopped = true
			t.stop(ctx, parts, p)
		}
	}
	wg.Wait()
	result := Found{Goal: -1, Reasons: slices.Repeat([]string{absent}, goals)}
	var won *part
	for _, p := range parts {
		if p.err != nil {
			continue
		}
		for k, reason := range p.found.Reasons[:min(len(p.of), len(p.found.Reasons))] {
			result.Reasons[p.of[k]] = reason
		}
		if result.Data == nil {
			result.Data = p.found.Data
		}
		if p.found.Goal >= 0 && (won == nil || p.of[p.found.Goal] < won.of[won.found.Goal]) {
			won = p
		}
	}
	if won != nil {
		reasons := result.Reasons
		result = won.found
		result.Goal, result.Reasons = won.of[won.found.Goal], reasons
	}
	return result, won
}

// stop ends the other parts' looks, each after one more try.
func (t *Tab) stop(ctx context.Context, parts []*part, but *part) {
	var wg sync.WaitGroup
	for _, p := range parts {
		if p != but {
			wg.Go(func() { _ = t.call(ctx, p.at.document, "stop", p.ask.ID, nil) }) // or it has gone
		}
	}
	wg.Wait()
}

// conclude does what is left to do once a goal is met in its island: a change is
// made, and a point is carried into the page's coordinates. It is false when
// that fails, so that the look goes on.
func (t *Tab) conclude(ctx context.Context, islands []island, won *part, result *Found, deadline time.Time) (bool, error) {
	goal := won.goals[won.found.Goal]
	if len(won.at.path) == 0 {
		t.moved(result.Address)
	}
	switch goal.Kind {
	case Change:
		return t.changeIn(ctx, won.at, goal, result, deadline)
	case Point:
		x, y, reason, err := t.outward(ctx, islands, won.at, result.X, result.Y)
		if err != nil || reason != "" {
			result.Reasons[result.Goal] = reason
			result.Goal = -1
			return false, err
		}
		result.X, result.Y = x, y
	}
	t.noteAim(goal, won.at)
	if goal.Mark {
		t.marked = slices.Concat(won.at.path, goal.Frame)
	}
	return true, nil
}

// changeIn makes the change of a goal that can be met.
func (t *Tab) changeIn(ctx context.Context, at *island, goal Goal, result *Found, deadline time.Time) (bool, error) {
	ask := t.ask([]Goal{goal}, min(slice, time.Until(deadline)))
	var found Found
	err := t.call(ctx, at.document, "wait", ask, &found)
	switch {
	case errors.Is(err, errGone):
		if t.toldBeforeItWent(ctx, at, ask.ID) { // it was the act that led away
			return true, t.arrive(ctx)
		}
		result.Goal = -1
		return false, nil
	case err != nil:
		return false, err
	case found.Goal < 0:
		result.Goal = -1
		return false, nil
	}
	t.noteAim(goal, at)
	result.Alternative, result.Refused = found.Alternative, found.Refused
	doc, err := t.document(ctx)
	if err != nil {
		return true, left(err)
	}
	return true, left(t.settle(ctx, doc))
}

// toldBeforeItWent waits until all is known that an island that has gone had
// told, and reports whether it had begun to act.
func (t *Tab) toldBeforeItWent(ctx context.Context, at *island, id int64) bool {
	for {
		t.mu.Lock()
		acted, changed := t.state.told["acted"] == id, t.changed
		s := t.sessions[at.session]
		there := s != nil && s.contexts[at.context].ours
		t.mu.Unlock()
		if acted || !there || t.wait(ctx, changed, 0) != nil {
			return acted
		}
	}
}

// noteAim remembers which island an act is aimed at; see settle.
func (t *Tab) noteAim(goal Goal, at *island) {
	switch goal.Kind {
	case Point, Focus, Change:
		t.touched = nil
		if at != nil && len(at.path) > 0 {
			t.touched = at
		}
	}
}

// noteFound is noteAim for what was met in the page's own island.
func (t *Tab) noteFound(goals []Goal, found Found, at *island) {
	if found.Goal < 0 {
		return
	}
	goal := goals[found.Goal]
	t.noteAim(goal, at)
	if goal.Mark {
		t.marked = goal.Frame
	}
}

// whereMarked sends goals for the marked element to its frame.
func (t *Tab) whereMarked(goals []Goal) []Goal {
	if len(t.marked) == 0 {
		return goals
	}
	goals = slices.Clone(goals)
	for i := range goals {
		if goals[i].Kind == Gone {
			goals[i].Frame = t.marked
		}
	}
	return goals
}

// Baseline notes what matches the goals now, for looks with Fresh.
func (t *Tab) Baseline(ctx context.Context, goals ...Goal) error {
	type noted struct {
		Goals []Goal `json:"goals"`
	}
	doc, err := t.document(ctx)
	if err != nil {
		return err
	}
	var elsewhere []int
	if err := t.call(ctx, doc, "baseline", noted{goals}, &elsewhere); err != nil || len(elsewhere) == 0 {
		return err
	}
	islands := append(t.frames(ctx), island{document: doc, root: true})
	for _, p := range divide(islands, goals, elsewhere) {
		if len(p.at.path) == 0 {
			continue
		}
		// What has gone meanwhile leaves nothing behind that is old.
		if err := t.call(ctx, p.at.document, "baseline", noted{p.goals}, nil); err != nil && !errors.Is(err, errGone) {
			return err
		}
	}
	return nil
}
