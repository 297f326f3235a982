package contracts_test

import (
	"math"
	"testing"

	"integration.gateway/contracts"
)

func TestWindowIsTheRowsOfAPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page, size, total int
		from, to          int
	}{
		{0, 0, 120, 0, 50}, // left out: the first page of the default size
		{1, 50, 120, 0, 50},
		{3, 50, 120, 100, 120},
		{4, 50, 120, 120, 120},
		{2, 1, 2, 1, 2},
		{1, 10, 0, 0, 0},
		{math.MaxInt, 200, 120, 120, 120},
		{math.MaxInt / 100, 100, 120, 120, 120},
	} {
		from, to := contracts.Paging{Page: c.page, PageSize: c.size}.Window(c.total)
		if from != c.from || to != c.to {
			t.Errorf("page %d of %d of %d rows: %d to %d, want %d to %d", c.page, c.size, c.total, from, to, c.from, c.to)
		}
	}
}

func TestDatesInOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ start, end, want string }{
		{"2026-11-23", "2026-11-23", ""},
		{"2026-11-23", "2027-01-01", ""},
		{"2026-11-23", "2026-11-22", "until must not be before from"},
		{"", "2026-11-22", ""},
		{"2026-11-23", "", ""},
	} {
		got := ""
		if err := contracts.DatesInOrder("from", c.start, "until", c.end); err != nil {
			got = err.Error()
			if contracts.AsError(err).Kind != contracts.Invalid {
				t.Errorf("kind %s", contracts.AsError(err).Kind)
			}
		}
		if got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.start, c.end, got, c.want)
		}
	}
}
