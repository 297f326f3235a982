package integration

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/command"
)

// due makes looks that are due, by what follows their accounts in their ids.
func due(ids ...string) (looks []command.Look) {
	for _, id := range ids {
		looks = append(looks, command.Look{ID: id, User: id[:1], Due: true})
	}
	return looks
}

func ids(looks []command.Look) (all []string) {
	for _, l := range looks {
		all = append(all, l.ID)
	}
	return all
}

func TestLooksAreFairOverAccounts(t *testing.T) {
	t.Parallel()
	a := newAgenda(2)
	var many []string
	for n := range 100 {
		many = append(many, fmt.Sprintf("a%d", n), fmt.Sprintf("b%d", n))
	}
	listed := due(append(many, "c0")...)
	first := a.begin(listed)
	if diff := cmp.Diff([]string{"a0", "b0"}, ids(first)); diff != "" {
		t.Errorf("the first looks (-want +got):\n%s", diff)
	}
	if more := a.begin(listed); more != nil {
		t.Errorf("beyond the bound: %v", ids(more))
	}
	a.end(first[0], true)
	select {
	case <-a.ended:
	default:
		t.Error("the end of a look is not told")
	}
	second := a.begin(listed[1:])
	if diff := cmp.Diff([]string{"c0"}, ids(second)); diff != "" { // neither b, which is busy, nor a, which had its turn
		t.Errorf("the next look (-want +got):\n%s", diff)
	}
	a.end(second[0], true)
	if diff := cmp.Diff([]string{"a1"}, ids(a.begin(listed[2:200]))); diff != "" {
		t.Errorf("the look after that (-want +got):\n%s", diff)
	}
	a.end(first[1], false)
	if got := a.begin([]command.Look{{ID: "d0", User: "d"}}); got != nil || len(a.turns) != 0 {
		t.Errorf("%v begin; %d accounts are remembered", got, len(a.turns))
	}
}

func TestTimeInDoubtCountsFromWhenItIsFirstSeen(t *testing.T) {
	t.Parallel()
	a := newAgenda(1)
	a.begin(due("a0"))
	seen := time.Now()
	a.begin(due("a0", "b0"))
	if left := a.left("a0", seen.Add(time.Minute), time.Minute); left > 0 {
		t.Errorf("%s are left after the settle time", left)
	}
	if left := a.left("a0", seen, time.Minute); left < 59*time.Second || left > time.Minute {
		t.Errorf("%s are left of a minute", left)
	}
	if left := a.left("z9", seen, time.Minute); left != time.Minute {
		t.Errorf("%s are left of a command that was never seen", left)
	}
	a.begin(due("b0")) // there are too many to be listed
	if left := a.left("a0", seen.Add(time.Minute), time.Minute); left > 0 {
		t.Errorf("%s are left of a command that is not listed", left)
	}
	a.seen["a0"] = sighting{seen, seen.Add(-forgetAfter)}
	a.begin(nil)
	if _, remembered := a.seen["a0"]; remembered || len(a.seen) != 1 {
		t.Errorf("%d commands are remembered", len(a.seen))
	}
}
