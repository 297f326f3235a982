// Package audit is what an auditor does with the event log: verify all of it
// against its signed checkpoints, export a bundle that proves itself off line,
// and replay its events to another system.
//
// The log comes from package eventlog, the proofs from package proof. Nothing
// here changes the log: a database role that may read suffices.
package audit

// Progress is told how far long work has come. It is called often and must
// return soon; nil is no wish to know.
type Progress func(done, total int64)

func (p Progress) report(done, total int64) {
	if p != nil {
		p(done, total)
	}
}

// page is the number of events, or checkpoints, read at once.
const page = 1000
