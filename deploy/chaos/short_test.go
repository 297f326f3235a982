package chaos_test

import "time"

// shortRun plans one trial for each kind of fault, at the edge where it matters
// most, and one for each edge at which a service can die.
func shortRun() []plan {
	var plans []plan
	buyer := func(op operation, faults ...*fault) *plan {
		number := len(plans)
		plans = append(plans, plan{number: number, lane: number % buyers, operation: op, keyed: true, gateway: number, faults: faults})
		return &plans[number]
	}
	customer := func(faults ...*fault) *plan {
		p := buyer(addToCart, faults...)
		p.lane = p.number % lanes
		return p
	}
	for i, at := range []edge{accepting, accepted, starting, started, clicked, handled, ending, ended} {
		f := &fault{act: killService, at: at, during: 500 * time.Millisecond}
		if i%2 == 0 {
			customer(f)
		} else {
			buyer(buyNow, f)
		}
	}
	customer(&fault{act: pauseService, at: starting, during: 3 * lease})
	customer(&fault{act: loseCommit, at: starting, during: time.Second})
	customer(&fault{act: loseAck, at: starting, during: time.Second})
	customer(&fault{act: databaseDown, at: clicked, during: time.Second})
	customer(&fault{act: natsDown, at: clicked, during: time.Second})
	customer(&fault{act: cutNATS, at: started, during: 2 * time.Second}, &fault{act: slowDatabase, at: sent, during: time.Second})
	buyer(buyNow, &fault{act: killBrowser, at: clicked})
	customer(&fault{act: crashPage, at: opened})
	customer(&fault{act: hangPage, at: starting, during: 5 * time.Second})
	customer(&fault{act: siteLate, at: clicked, during: latest})
	buyer(buyNow, &fault{act: siteRefuses, at: clicked})
	buyer(buyNow, &fault{act: siteVanishes, at: handled})
	customer(&fault{act: slowNATS, at: sent, during: time.Second}, &fault{act: killGateway, at: handled}).crowd = true
	buyer(buyNow).crowd = true
	return plans
}
