package bus

import (
	"context"
	"slices"
	"sync"

	"integration.gateway/contracts"
)

// queue decides which request an instance carries out next, and how many may
// wait for it.
//
// A free worker takes the oldest request that may run. A write may run only
// while no other write of its account is being carried out; reads and other
// accounts go past it. So the writes of an account are carried out in order of
// arrival, and a burst of them holds one worker and never all. The reads of an
// account hold half of the workers at most, at least one.
//
// A request that only waits for what others do gives its worker back. As many
// may wait like that as may wait for a worker, at least one.
//
// Whenever a worker is free, no request that waits may run: one that arrives
// then overtakes nobody.
type queue struct {
	start  func(*job)                   // has a worker carry a request out, and those after it
	answer func(*job, *contracts.Error) // tells a caller that its request was not begun

	mu       sync.Mutex
	free     int               // workers that carry out nothing
	room     int               // requests that may wait
	waiting  []*job            // in order of arrival
	begun    map[*job]struct{} // being carried out
	parked   int               // of these, without a worker
	writing  map[string]bool   // accounts with a write among those with a worker
	reads    int               // of an account that may be carried out at once
	reading  map[string]int    // reads of each account among those with a worker
	stopping bool              // nothing may wait any more
	stopped  bool              // nothing may begin any more
}

func newQueue(workers, room int, start func(*job), answer func(*job, *contracts.Error)) *queue {
	return &queue{
		start: start, answer: answer, free: workers, room: room,
		begun: map[*job]struct{}{}, writing: map[string]bool{}, reads: (workers + 1) / 2, reading: map[string]int{},
	}
}

// enter takes a request in: a worker carries it out at once, or it waits.
// Otherwise enter returns why it is refused.
func (q *queue) enter(j *job) *contracts.Error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.stopped:
		return errStopping
	case q.free > 0 && q.mayRun(j):
		q.free--
		q.begin(j)
		q.start(j)
		return nil
	case q.stopping:
		return errStopping
	case len(q.waiting) >= q.room:
		return errFull
	case q.waitingOf(j.account) >= max(1, q.room/2):
		return errAccountFull
	}
	q.waiting = append(q.waiting, j)
	j.unwatch = context.AfterFunc(j.ctx, func() { q.drop(j) })
	return nil
}

// next ends a request that was carried out and begins the next one for the same
// worker. There may be none: then the worker is free, or was given back before.
func (q *queue) next(done *job) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.begun, done)
	if done.parked {
		q.parked--
		return nil
	}
	return q.pass(done)
}

// park has a request that is being carried out, and only waits from now on, give
// its worker back. Otherwise park returns why it may not.
func (q *queue) park(j *job) *contracts.Error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case j.parked:
		return nil
	case q.stopping:
		return errStopping
	case q.parked >= max(1, q.room):
		return errParked
	}
	q.parked++
	j.parked = true
	if next := q.pass(j); next != nil {
		q.start(next)
	}
	return nil
}

// pass takes the worker of a request and begins the next one with it. There may
// be none: then the worker is free.
func (q *queue) pass(from *job) *job {
	switch {
	case from.isWrite():
		delete(q.writing, from.account)
	case from.isRead():
		if q.reading[from.account]--; q.reading[from.account] <= 0 {
			delete(q.reading, from.account)
		}
	}
	i := slices.IndexFunc(q.waiting, q.mayRun)
	if i < 0 {
		q.free++
		return nil
	}
	j := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	j.unwatch()
	q.begin(j)
	return j
}

// drop answers a request whose context has ended, if it still waits.
func (q *queue) drop(j *job) {
	q.mu.Lock()
	i := slices.Index(q.waiting, j)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i >= 0 {
		q.answer(j, notBegun(j.ctx))
	}
}

// giveUp ends the request with a Call-Id, whose caller has gone: one that waits,
// for a worker or for what others do, or a read. A write that was begun goes on.
func (q *queue) giveUp(call string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.waiting {
		if j.call == call {
			j.giveUp(errGivenUp) // whoever takes it out of the queue answers it
		}
	}
	for j := range q.begun {
		if j.call == call && (j.isRead() || j.parked) {
			j.giveUp(errGivenUp)
		}
	}
}

// handBack lets nothing wait any more: it answers the requests that wait for a
// worker, and gives up those that have given theirs back.
func (q *queue) handBack() {
	q.mu.Lock()
	q.stopping = true
	waiting := q.waiting
	q.waiting = nil
	for _, j := range waiting {
		j.unwatch()
	}
	for j := range q.begun {
		if j.parked {
			j.giveUp(errStopping)
		}
	}
	q.mu.Unlock()
	for _, j := range waiting {
		q.answer(j, errStopping)
	}
}

// stop lets nothing begin any more.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
}

func (q *queue) mayRun(j *job) bool {
	switch {
	case j.isWrite():
		return !q.writing[j.account]
	case j.isRead() && j.account != "":
		return q.reading[j.account] < q.reads
	default:
		return true
	}
}

func (q *queue) begin(j *job) {
	q.begun[j] = struct{}{}
	switch {
	case j.isWrite():
		q.writing[j.account] = true
	case j.isRead():
		q.reading[j.account]++
	}
}

// waitingOf counts the requests of an account that wait. Those of no account
// have no bound of their own.
func (q *queue) waitingOf(account string) int {
	n := 0
	for _, j := range q.waiting {
		if account != "" && j.account == account {
			n++
		}
	}
	return n
}
