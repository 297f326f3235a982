package eventlog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"integration.gateway/contracts/event"
)

// Thirty events of nearly the greatest length are more than a page holds.
func TestAPageOfLongEventsEndsEarlyAndHidesNothing(t *testing.T) {
	t.Parallel()
	const n = 30
	log, ctx := newLog(t), limited(t)
	long := json.RawMessage(`"` + strings.Repeat("x", event.MaxDataBytes-2) + `"`)
	for i := range n {
		e := accepted(t, "")
		e.Data = long
		mustAppend(t, log, fmt.Sprintf("command/%d", i), 0, e)
	}
	sequenceAll(t, log)

	type read func(last int64) ([]int64, error)
	seqs := func(events []event.Event, err error) ([]int64, error) {
		var found []int64
		for _, e := range events {
			found = append(found, e.Seq)
		}
		return found, err
	}
	for name, next := range map[string]read{
		"Range": func(last int64) ([]int64, error) { return seqs(log.Range(ctx, last, n)) },
		"Query": func(last int64) ([]int64, error) {
			return seqs(log.Query(ctx, Filter{Account: "a1", AfterSeq: last}, n))
		},
		"Proven": func(last int64) ([]int64, error) {
			proven, err := log.Proven(ctx, last, n)
			var found []event.Event
			for _, p := range proven {
				if p.Stream == "" {
					t.Errorf("event %d is said to be missing", p.Seq)
				}
				found = append(found, p.Event)
			}
			return seqs(found, err)
		},
	} {
		last := int64(0)
		for {
			page, err := next(last)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			if size := len(page) * event.MaxDataBytes; size > maxPage {
				t.Errorf("%s: a page has %d bytes", name, size)
			}
			for _, seq := range page {
				if seq != last+1 {
					t.Fatalf("%s: event %d follows event %d", name, seq, last)
				}
				last = seq
			}
		}
		if last != n {
			t.Errorf("%s: the last event is %d, not %d", name, last, n)
		}
	}
	newest, err := log.Query(ctx, Filter{Newest: true}, n)
	if err != nil || len(newest) == 0 || len(newest) == n || newest[0].Seq != n {
		t.Errorf("the newest are %d events, %v", len(newest), err)
	}
}
