package testenv

import (
	"errors"
	"slices"
	"testing"
)

func TestSharedIsMadeOnce(t *testing.T) {
	t.Parallel()
	var shared Shared[int]
	made := 0
	for range 3 {
		got := shared.Get(t, func() (int, func() error) {
			made++
			return made, func() error { return nil }
		})
		if got != 1 || made != 1 {
			t.Errorf("got %d, made %d times", got, made)
		}
	}
}

func TestWhatIsSharedEndsLatestFirstAndTellsWhatFails(t *testing.T) {
	t.Parallel()
	var all endings
	var ended []string
	stuck := errors.New("it does not end")
	all.add(func() error { ended = append(ended, "first"); return nil })
	all.add(func() error { ended = append(ended, "second"); return stuck })
	if err := all.run(); !errors.Is(err, stuck) || !slices.Equal(ended, []string{"second", "first"}) {
		t.Errorf("ended %v, %v", ended, err)
	}
}
