package audit_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	api "integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
)

func TestListsComeInPartsWithoutGaps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	var ids []string
	for range 31 { // 155 events, several chunks
		ids = append([]string{b.order(t, ann)}, ids...)
	}
	eventually(t, func() bool { return call(t, b, api.GetLog, &api.GetLogRequest{}).Projected == 155 })
	for _, limit := range []int{7, 31, 100, 155, 500, 0} {
		req := &api.ListEventsRequest{Limit: limit}
		var seqs []int64
		for {
			part := call(t, b, api.ListEvents, req)
			for _, e := range part.Events {
				seqs = append(seqs, e.Seq)
			}
			if limit > 0 && len(part.Events) > limit || part.Next != 0 && part.Next != seqs[len(seqs)-1] {
				t.Fatalf("limit %d: got %d events, and the next after %d", limit, len(part.Events), part.Next)
			}
			if req.After = part.Next; part.Next == 0 {
				break
			}
		}
		for i, seq := range seqs {
			if seq != int64(i+1) {
				t.Fatalf("limit %d: event %d stands at place %d", limit, seq, i)
			}
		}
		if len(seqs) != 155 {
			t.Errorf("limit %d: got %d events", limit, len(seqs))
		}
	}
	for _, limit := range []int{7, 31, 0} {
		req := &api.ListCommandsRequest{Limit: limit}
		var got []string
		for {
			part := call(t, b, api.ListCommands, req)
			for _, c := range part.Commands {
				got = append(got, c.CommandID)
			}
			if req.After = part.Next; part.Next == "" {
				break
			}
		}
		if diff := cmp.Diff(ids, got); diff != "" {
			t.Errorf("limit %d: commands (-want +got):\n%s", limit, diff)
		}
	}
}

func TestListsTakeFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	first, second := b.order(t, ann), b.order(t, bob)
	eventually(t, func() bool { return call(t, b, api.GetLog, &api.GetLogRequest{}).Projected == 10 })
	all := call(t, b, api.ListEvents, &api.ListEventsRequest{})
	half := all.Events[5].Time
	for name, c := range map[string]struct {
		events   api.ListEventsRequest
		commands api.ListCommandsRequest
		wantSeqs [2]int64 // the first and the last
		want     []string
	}{
		"integration": {api.ListEventsRequest{Integration: "agency"}, api.ListCommandsRequest{Integration: "agency"}, [2]int64{}, nil},
		"operation":   {api.ListEventsRequest{Operation: "buy-now"}, api.ListCommandsRequest{Operation: "buy-now"}, [2]int64{1, 10}, []string{second, first}},
		"caller":      {api.ListEventsRequest{CallerID: "caller-1"}, api.ListCommandsRequest{CallerID: "caller-1"}, [2]int64{1, 10}, []string{second, first}},
		"account":     {api.ListEventsRequest{AccountID: bob}, api.ListCommandsRequest{AccountID: bob}, [2]int64{6, 10}, []string{second}},
		"command or state": {
			api.ListEventsRequest{CommandID: first}, api.ListCommandsRequest{State: "succeeded"}, [2]int64{1, 5}, []string{second, first},
		},
		"type or state": {
			api.ListEventsRequest{Type: event.TypeEffectUnknown}, api.ListCommandsRequest{State: "effect-unknown"}, [2]int64{}, nil,
		},
		"since": {api.ListEventsRequest{Since: half}, api.ListCommandsRequest{Since: half}, [2]int64{6, 10}, []string{second}},
		"until": {api.ListEventsRequest{Until: half}, api.ListCommandsRequest{Until: half}, [2]int64{1, 5}, []string{first}},
		"since then": {
			api.ListEventsRequest{Since: half.Add(time.Hour)}, api.ListCommandsRequest{Since: half.Add(time.Hour)}, [2]int64{}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got [2]int64
			if events := call(t, b, api.ListEvents, &c.events).Events; len(events) > 0 {
				got = [2]int64{events[0].Seq, events[len(events)-1].Seq}
			}
			if got != c.wantSeqs {
				t.Errorf("got events %v, want %v", got, c.wantSeqs)
			}
			var ids []string
			for _, command := range call(t, b, api.ListCommands, &c.commands).Commands {
				ids = append(ids, command.CommandID)
			}
			if diff := cmp.Diff(c.want, ids); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}
