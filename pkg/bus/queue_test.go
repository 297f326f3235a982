package bus_test

import (
	"fmt"
	"testing"
	"time"
)

func TestABurstOfOneAccountHoldsUpNobodyElseAndKeepsItsOrder(t *testing.T) {
	t.Parallel()
	const burst = 20
	s := sharedShop(t, 2, 2*burst)
	a, others := s.answers(t), s.answers(t)
	for i := range burst {
		a.send(put.Info(), "ann", fmt.Sprint("ann ", i))
	}
	first := s.next(t, "ann 0")
	// All of them are there before what is sent now, and the second worker is free.
	for _, c := range []struct{ account, name string }{{"bob", "bob writes"}, {"", "the operator writes"}} {
		others.send(put.Info(), c.account, c.name)
		close(s.next(t, c.name).end)
		others.want(c.name)
	}
	for _, c := range []struct{ account, name string }{{"bob", "bob reads"}, {"ann", "ann reads"}} {
		others.send(get.Info(), c.account, c.name)
		close(s.next(t, c.name).end)
		others.want(c.name)
	}
	close(first.end)
	a.want("ann 0")
	for i := 1; i < burst; i++ {
		v := s.next(t, fmt.Sprint("ann ", i))
		s.none(t)
		close(v.end)
		a.want(v.name)
	}
}

func TestAWorkerPassesByWhatMayNotRunYet(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 2, 8)
	a := s.answers(t)
	a.send(put.Info(), "ann", "ann 0")
	ann := s.next(t, "ann 0")
	a.send(put.Info(), "bob", "bob 0")
	bob := s.next(t, "bob 0") // and so both workers are busy
	for _, c := range []struct{ account, name string }{{"ann", "ann 1"}, {"ann", "ann 2"}, {"bob", "bob 1"}, {"", "the operator"}} {
		a.send(put.Info(), c.account, c.name)
	}
	s.arrived(t, put.Info())
	close(bob.end)
	close(s.next(t, "bob 1").end)
	close(s.next(t, "the operator").end)
	a.want("bob 0", "bob 1", "the operator")
	s.none(t)
	close(ann.end)
	close(s.next(t, "ann 1").end)
	close(s.next(t, "ann 2").end)
	a.want("ann 0", "ann 1", "ann 2")
}

func TestReadsOfAnAccountRunSideBySide(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 4, 0)
	a := s.answers(t)
	a.send(get.Info(), "ann", "1")
	first := s.next(t, "1")
	a.send(get.Info(), "ann", "2")
	close(s.next(t, "2").end)
	a.want("2")
	close(first.end)
	a.want("1")
}

// The reads of an account leave workers to others, and its own are next when one
// of them ends.
func TestReadsOfAnAccountHoldHalfOfTheWorkersAtMost(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 4, 8)
	a, b := s.answers(t), s.answers(t)
	var first, second visit
	for _, name := range []string{"1", "2", "3", "4"} {
		a.send(get.Info(), "ann", name)
		switch name {
		case "1":
			first = s.next(t, name)
		case "2":
			second = s.next(t, name)
		}
	}
	s.arrived(t, get.Info())
	b.send(get.Info(), "bob", "bob")
	close(s.next(t, "bob").end)
	b.want("bob")
	b.send(put.Info(), "ann", "write")
	close(s.next(t, "write").end)
	b.want("write")
	s.none(t)
	close(first.end)
	a.want("1")
	close(s.next(t, "3").end)
	a.want("3")
	close(s.next(t, "4").end)
	a.want("4")
	close(second.end)
	a.want("2")
}

// A request that waits for what others do leaves its worker, and its account, to
// others; no more of them than the queue has places.
func TestARequestThatOnlyWaitsHoldsNoWorker(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 1, 2)
	a, b := s.answers(t), s.answers(t)
	a.send(put.Info(), "ann", waits+" 1")
	first := s.next(t, waits+" 1")
	b.send(put.Info(), "ann", "write")
	write := s.next(t, "write")
	close(write.end)
	b.want("write")
	a.send(get.Info(), "ann", waits+" 2")
	second := s.next(t, waits+" 2")
	a.send(put.Info(), "bob", waits+" 3")
	a.want("busy shop: too many requests wait for commands that are under way")
	close(second.end)
	a.want(waits + " 2")
	a.send(put.Info(), "bob", waits+" 4")
	s.next(t, waits+" 4")
	close(first.end)
	a.want(waits + " 1")

	// Its caller may go, and the service stop: then it ends.
	c := s.calls(t, put.Info(), "cat", waits+" 5")
	fifth := s.next(t, waits+" 5")
	c.hangUp()
	fifth.ends(t)
	drained := make(chan error, 1)
	go func() { drained <- s.server.Drain(t.Context()) }()
	if err := <-drained; err != nil {
		t.Error(err)
	}
}

func TestAnAccountTakesHalfOfTheQueueAtMost(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 1, 4)
	a := s.answers(t)
	for _, name := range []string{"a0", "a1", "a2", "a3", "b1", "b2", "b3", "c1"} {
		a.send(put.Info(), name[:1], name)
		if name == "a0" {
			s.next(t, "a0")
		}
	}
	// a1 and a2 fill half of the queue, b1 and b2 the rest.
	a.want(accountFull, full, full)
	s.none(t)
}

func TestAQueueOfOnePlaceIsForEveryAccount(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 1, 1)
	a := s.answers(t)
	a.send(put.Info(), "ann", "1")
	first := s.next(t, "1")
	a.send(put.Info(), "ann", "2")
	a.send(put.Info(), "ann", "3")
	a.want(full)
	close(first.end)
	close(s.next(t, "2").end)
	a.want("1", "2")
}

func TestARequestIsAnsweredWhenItsTimeIsOverThoughItWaits(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 1, 1)
	a := s.answers(t)
	a.send(put.Info(), "ann", "1")
	first := s.next(t, "1")
	for range 2 { // each leaves its place to the next
		a.send(put.Info(), "ann", "2", 50*time.Millisecond)
		a.want(waited)
	}
	a.send(brief.Info(), "ann", "2") // which has no more time than its operation
	a.want(waited)
	a.send(put.Info(), "ann", "3")
	close(first.end)
	close(s.next(t, "3").end)
	a.want("1", "3")
}

func TestARequestThatIsOverWhenItArrivesIsNotBegun(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 1, 1)
	a := s.answers(t)
	a.send(put.Info(), "ann", "late", 0)
	a.want(waited)
	s.none(t)
}

func TestDrainHandsBackWhatWaits(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 1, 4)
	a := s.answers(t)
	a.send(put.Info(), "ann", "1")
	first := s.next(t, "1")
	a.send(put.Info(), "ann", "2")
	a.send(put.Info(), "bob", "3")
	s.arrived(t, put.Info())
	drained := make(chan error, 1)
	go func() { drained <- s.server.Drain(t.Context()) }()
	a.want(stopping, stopping) // while the first is under way
	if err := first.ctx.Err(); err != nil {
		t.Errorf("the request under way was ended: %v", err)
	}
	close(first.end)
	a.want("1")
	if err := <-drained; err != nil {
		t.Error(err)
	}
	s.none(t)
}
