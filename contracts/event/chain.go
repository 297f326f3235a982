package event

import (
	"bytes"
	"fmt"
)

// VerifyStream checks a whole stream from its first event on: one stream,
// no version missing, doubled or swapped, every event as it was hashed, every
// event linked to its predecessor. The error names the first event that is
// wrong. A tail that was cut off does not show here; the log's checkpoints
// show it.
func VerifyStream(events []Event) error {
	var prev Event
	for i, e := range events {
		if err := follows(prev, e, i); err != nil {
			return fmt.Errorf("stream %s, event %d (id %s, version %d): %w", events[0].Stream, i+1, e.ID, e.Version, err)
		}
		prev = e
	}
	return nil
}

func follows(prev, e Event, i int) error {
	switch {
	case i > 0 && e.Stream != prev.Stream:
		return fmt.Errorf("it belongs to stream %s", e.Stream)
	case e.Version != prev.Version+1:
		return fmt.Errorf("version %d was expected", prev.Version+1)
	case !bytes.Equal(e.PrevHash, prev.Hash):
		return fmt.Errorf("it does not carry its predecessor's hash")
	case !bytes.Equal(e.Hash, Hash(e)):
		return fmt.Errorf("its hash does not match its content")
	}
	return nil
}
