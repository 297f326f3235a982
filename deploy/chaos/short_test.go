package chaos_test

import "time"

// shortRun plans one trial for most kinds of faults, at the edge where it matters
// most, and one for each state in which a service that dies can leave the log
// and the application: nothing recorded, accepted, started and not sent, sent and not
// yet carried out, carried out, recorded.
func shortRun(marketplace *application) []plan {
	var plans []plan
	turns := 0
	buyNow, addToCart := marketplace.operation("buy-now"), marketplace.operation("add-to-cart")
	add := func(lane int, op *operation, faults []*fault) *plan {
		number := len(plans)
		plans = append(plans, plan{number: number, lane: lane, operation: op, keyed: true, gateway: number, faults: faults})
		return &plans[number]
	}
	buyer := func(faults ...*fault) *plan { return add(len(plans)%buyers, buyNow, faults) }
	customer := func(faults ...*fault) *plan {
		turns++
		return add(buyers+turns%(users-buyers), addToCart, faults)
	}
	for i, at := range []edge{accepting, accepted, started, clicked, handled, ended} {
		f := &fault{act: killService, at: at, during: 500 * time.Millisecond}
		if i%2 == 0 {
			customer(f)
		} else {
			buyer(f)
		}
	}
	customer(&fault{act: pauseService, at: starting, during: 3 * fast.lease})
	customer(&fault{act: loseCommit, at: starting, during: time.Second})
	customer(&fault{act: loseAck, at: starting, during: time.Second})
	customer(&fault{act: databaseDown, at: clicked, during: time.Second})
	customer(&fault{act: natsDown, at: clicked, during: time.Second})
	customer(&fault{act: cutNATS, at: started, during: 2 * time.Second}, &fault{act: slowDatabase, at: sent, during: time.Second})
	buyer(&fault{act: killBrowser, at: clicked})
	customer(&fault{act: crashPage, at: opened})
	customer(&fault{act: hangPage, at: starting, during: 5 * time.Second})
	buyer(&fault{act: siteRefuses, at: clicked})
	buyer(&fault{act: siteVanishes, at: handled})
	customer(&fault{act: slowNATS, at: sent, during: time.Second}, &fault{act: killGateway, at: handled}).crowd = true
	buyer().crowd = true
	customer(&fault{act: siteTooLate, at: clicked, during: fast.tooLate})
	again := func(buyer int, faults ...*fault) { add(users+buyer, buyNow, faults) }
	// There is one outage at a time, so they are those of one account. The clock is
	// set first, before the shop is too late for another. It jumps ahead by two
	// minutes while the shop has not yet carried out what it was sent. Were it set
	// ahead first, the leases of those that are killed meanwhile would last as long.
	again(0, &fault{act: stepClock, at: clicked, during: 3 * fast.step / 2}, &fault{act: siteLate, at: clicked, during: 3 * fast.step})
	again(0, &fault{act: failOver, at: accepted, during: 3 * time.Second})
	again(0, &fault{act: fillPostgres, at: starting, during: time.Second})
	again(0, &fault{act: killPostgres, at: handled, during: time.Second})
	again(0, &fault{act: fillNATS, at: accepted, during: time.Second})
	again(0, &fault{act: rollBackNATS, at: started, during: 2 * time.Second})
	again(0, &fault{act: killNATS, at: started, during: time.Second})
	again(1, &fault{act: killService, at: handled, during: 500 * time.Millisecond})
	again(1)
	// The same through both links at the same time, and while it is in doubt.
	beside := func(buyer int, pause time.Duration, faults ...*fault) {
		p := add(buyer, buyNow, faults)
		p.twin = &plan{number: p.number, lane: users + buyer, operation: buyNow, keyed: true, gateway: p.gateway + 1, pause: pause}
	}
	beside(0, 0)
	beside(1, time.Second, &fault{act: killService, at: handled, during: 500 * time.Millisecond})
	// A person does the same in a session, beside a command that falls into doubt.
	visited := func(lane int, op *operation, f fault, steps ...*step) {
		add(lane, op, []*fault{&f}).visit = &visit{lane: lane, steps: append([]*step{{do: openSession, at: sent}}, steps...)}
	}
	visited(0, buyNow, fault{act: siteVanishes, at: handled}, &step{do: doByHand, at: starting})
	visited(1, buyNow, fault{act: siteHangsUp, at: clicked}, &step{do: doByHand, at: clicked}, &step{do: leaveSession, at: doubting})
	visited(2, addToCart, fault{act: siteVanishes, at: handled}, &step{do: doByHand, at: doubted})
	return plans
}
