package bus

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
)

// Requests come in until NATS knows of a service's end. A free worker carries
// them out, so that a rolling restart refuses nobody without need.
func TestAQueueThatDrainsBeginsOnlyWhatAWorkerIsFreeForUntilItIsStopped(t *testing.T) {
	t.Parallel()
	var begun, handedBack []*job
	q := newQueue(1, 4, func(j *job) { begun = append(begun, j) }, func(j *job, why *contracts.Error) {
		if why != errStopping {
			t.Errorf("handed back with %v", why)
		}
		handedBack = append(handedBack, j)
	})
	enter := func() (*job, *contracts.Error) {
		j := newJob(t.Context(), binding{op: contracts.Info{Timeout: time.Minute}}, nats.NewMsg("cmd.shop.get"))
		t.Cleanup(j.end)
		return j, q.enter(j)
	}
	first, _ := enter()
	waits, _ := enter()
	q.handBack()
	if len(handedBack) != 1 || handedBack[0] != waits {
		t.Errorf("%d requests were handed back", len(handedBack))
	}
	if _, why := enter(); why != errStopping {
		t.Errorf("while no worker is free: %v", why)
	}
	if j := q.next(first); j != nil {
		t.Error("what was handed back has begun")
	}
	last, why := enter()
	if why != nil || len(begun) != 2 || begun[1] != last {
		t.Errorf("while a worker is free: %v", why)
	}
	q.next(last)
	q.stop()
	if _, why := enter(); why != errStopping || len(begun) != 2 {
		t.Errorf("after the end: %v", why)
	}
}
