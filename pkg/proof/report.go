package proof

import (
	"fmt"
	"strconv"
)

// Finding is the first thing in a log or a bundle that is not as it must be. Where
// FromSeq equals ToSeq, the event with that seq is altered, missing or in the
// wrong place. Otherwise that is true of at least one of the events from FromSeq to
// ToSeq, usually those between two checkpoints. Both are 0 if it concerns no event
// that could be named.
type Finding struct {
	FromSeq, ToSeq int64
	EventID        string // of the event at which it showed, if there is one
	Stream         string // of that event
	Reason         string
}

// Error names the event or the range, and the reason.
func (f *Finding) Error() string {
	var where string
	switch {
	case f.ToSeq == 0:
		return f.Reason
	case f.FromSeq == f.ToSeq:
		where = "event " + strconv.FormatInt(f.ToSeq, 10)
	default:
		where = fmt.Sprintf("events %d to %d", f.FromSeq, f.ToSeq)
	}
	if f.EventID != "" {
		where += fmt.Sprintf(" (found at id %s, stream %s)", f.EventID, f.Stream)
	}
	return where + ": " + f.Reason
}

// Trust is what an auditor goes by.
type Trust struct {
	Verifiers []string     // the log's keys, name+hash+…; all of one name
	Kept      []Checkpoint // checkpoints of this log from earlier times
}

// Keep returns what to keep after a verification that went well: the keys, and the
// last checkpoint in place of those that it was seen to extend. With a report that
// has Unlinked ones all stays as it is: the last may be that of a fork.
func (t Trust) Keep(r Report) Trust {
	if len(r.Unlinked) > 0 {
		return t
	}
	kept := Trust{Verifiers: t.Verifiers}
	if len(kept.Verifiers) == 0 {
		kept.Verifiers = r.Verifiers
	}
	if r.Last.Size > 0 {
		kept.Kept = []Checkpoint{r.Last}
	}
	return kept
}

// Report says what a verification without a Finding has shown.
type Report struct {
	Events      int64      // how many were checked
	Streams     int64      // how many streams they belong to
	Checkpoints int64      // how many signed checkpoints were checked
	Last        Checkpoint // the largest of them; Size 0 if there was none
	Verifiers   []string   // the keys that counted

	// Whole is true if the events are all of the log from its first on. If it is
	// false, every event is proven to be in the log as it is, but not that
	// none was left out between them.
	Whole bool
	// Unsigned is how many events follow the last checkpoint: their chains were
	// checked, but no key stands for them yet. A bundle has none.
	Unsigned int64
	// OwnKeys is true if the keys were the bundle's own, since the auditor gave
	// none: then whoever made the bundle may have signed it.
	OwnKeys bool
	// Unlinked has the sizes of the kept checkpoints with which a partial bundle
	// cannot be compared, for want of a consistency proof: nothing shows that it is
	// of a log that has only grown since.
	Unlinked []int64
}
