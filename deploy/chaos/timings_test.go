package chaos_test

import (
	"flag"
	"fmt"
	"strconv"
	"time"
)

// timings are how long the services take to give things up. They decide how
// long faults last and how long the driver waits.
type timings struct {
	lease    time.Duration // of an instance
	outage   time.Duration // at least, of what is away or cut off
	step     time.Duration // of a step of a flow
	tooLate  time.Duration // beyond the look that finds no effect, and before the last late check; see siteTooLate
	trial    time.Duration // for a trial's client to get a definite answer
	open     time.Duration // for the last command to end, and for the last late check
	person   time.Duration // for the flow to tell what became of a command, before a person does
	settings []string      // of the services
}

// A flow gives up on an answer after the click and after the wait for what it
// brings, 4.5 s where a step has two. Where the shop has not answered, the looks
// 14 s later and 30 s later are the first beyond three settle times.
var fast = timings{
	lease:   time.Second,
	step:    2 * time.Second,
	tooLate: 32 * time.Second,
	trial:   time.Minute,
	open:    2 * time.Minute,
	person:  20 * time.Second,
	settings: []string{
		"INSTANCE_LEASE=1s", "RECONCILE_SETTLE=4s", "LATE_CHECKS=100ms,20s", "CHAOS_STEP_TIMEOUT=2000",
	},
}

// production has the defaults of services and sites, but for the late checks:
// these are made within minutes. Where the shop has not answered, the look 17
// minutes later is the first beyond three settle times.
var production = timings{
	lease:    10 * time.Second,
	outage:   20 * time.Second,
	step:     10 * time.Second,
	tooLate:  19 * time.Minute,
	trial:    30 * time.Minute,
	open:     40 * time.Minute,
	person:   18 * time.Minute,
	settings: []string{"LATE_CHECKS=1s,3m"},
}

// timing are those of the run.
var timing = fast

func init() {
	flag.Func("timings", `"fast", or "production" for those that services have by default`, func(name string) error {
		known, ok := map[string]timings{"fast": fast, "production": production}[name]
		if !ok {
			return fmt.Errorf("there are no timings %s", strconv.Quote(name))
		}
		timing = known
		return nil
	})
}

// during is how long a fault lasts that is planned with the fast timings: as many
// leases or steps as there.
func (t timings) during(f *fault) time.Duration {
	if f.during == 0 {
		return 0
	}
	switch f.act {
	case siteTooLate:
		return f.during - fast.tooLate + t.tooLate
	case siteLate, siteSilent, hangPage:
		return times(t.step/fast.step, f.during)
	default:
		return max(t.leases(f.during), t.outage)
	}
}

// leases is as many leases as d is with the fast timings.
func (t timings) leases(d time.Duration) time.Duration { return times(t.lease/fast.lease, d) }

func times(n, d time.Duration) time.Duration { return time.Duration(int64(n) * int64(d)) }
