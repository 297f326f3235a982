package integration

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"integration.gateway/pkg/command"
)

// agenda chooses the looks that begin: a few at once, one of a lane at a time,
// and lanes in turn, however many commands in doubt each has. It also keeps the
// time for which commands have been in doubt, by the monotonic clock of this
// process: no clock that is set can make it pass.
type agenda struct {
	ended chan struct{} // has something in it when a look was made

	mu    sync.Mutex
	room  int                 // for further looks
	busy  map[string]bool     // lanes that a look is under way for
	turns map[string]int      // number of the last look by lane, of those that are listed
	begun int                 // looks so far
	seen  map[string]sighting // of commands in doubt
}

// sighting is when a command was seen in doubt.
type sighting struct{ first, last time.Time }

// forgetAfter is how long a command is remembered that is not listed any more: it
// is settled, or it is one of too many to be listed while no look at it is due.
const forgetAfter = 2 * time.Hour // longer than between two looks at a command

func newAgenda(room int) *agenda {
	return &agenda{ended: make(chan struct{}, 1), room: room, busy: map[string]bool{}, turns: map[string]int{}, seen: map[string]sighting{}}
}

// begin takes note of all looks that are listed, and returns those that begin
// now. Each must be ended.
func (a *agenda) begin(listed []command.Look) (chosen []command.Look) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.note(listed)
	waiting := slices.DeleteFunc(slices.Clone(listed), func(l command.Look) bool { return !l.Due || a.busy[lane(l)] })
	slices.SortStableFunc(waiting, func(x, y command.Look) int { return cmp.Compare(a.turns[lane(x)], a.turns[lane(y)]) })
	for _, l := range waiting {
		if a.room == 0 {
			break
		}
		if a.busy[lane(l)] {
			continue
		}
		a.room--
		a.begun++
		a.busy[lane(l)], a.turns[lane(l)] = true, a.begun
		chosen = append(chosen, l)
	}
	return chosen
}

// note keeps what is remembered of lanes that are still listed, and of commands
// that were so lately.
func (a *agenda) note(listed []command.Look) {
	turns := map[string]int{}
	now := time.Now()
	for _, l := range listed {
		if turn, had := a.turns[lane(l)]; had {
			turns[lane(l)] = turn
		}
		if l.Late {
			continue
		}
		a.seen[l.ID] = sighting{first: cmp.Or(a.seen[l.ID].first, now), last: now}
	}
	maps.DeleteFunc(a.seen, func(_ string, s sighting) bool { return now.Sub(s.last) > forgetAfter })
	a.turns = turns
}

// end ends a look, so that another can begin: at once, if it was made.
func (a *agenda) end(l command.Look, made bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.room++
	delete(a.busy, lane(l))
	if made {
		select {
		case a.ended <- struct{}{}:
		default:
		}
	}
}

// left is how much of a settle time was left of a command when a look at it
// began.
func (a *agenda) left(id string, begun time.Time, settle time.Duration) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return settle - begun.Sub(cmp.Or(a.seen[id].first, begun))
}

// lane is what looks take turns by: the user at the site, or the command itself
// where it has no account.
func lane(l command.Look) string { return cmp.Or(l.User, l.ID) }
