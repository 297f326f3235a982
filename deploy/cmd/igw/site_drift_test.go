package main

import (
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts/audit"
)

func TestDriftIsShownStepByStep(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	e := newEdge(t, func(_, res any) error {
		res.(*audit.Drift).Looks = []audit.Look{
			{
				Integration: "marketplace", Site: "corner-shop", Flow: "buy-now.json", Step: "5", Name: "click #buy", What: "first-choice",
				FirstChoice: "#buy", Winner: "aria/Buy\x1b now", Won: []int64{3, 0, 1}, Share: 0.25, DriftedAt: &since,
			},
			{
				Integration: "marketplace", Site: "corner-shop", Flow: "search.json", Step: "3", Name: "extract .item", What: "required-field",
				Field: "price", Won: []int64{0, 2}, Share: 1, DriftedAt: &since,
			},
		}
		return nil
	})
	got := e.igw(t, "", nil, "site", "drift", "--integration", "marketplace", "--site", "corner-shop", "--all")
	if got.code != exitOK {
		t.Fatalf("got %+v", got)
	}
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	for i, want := range [][]string{
		{"SITE", "STEP", "LOOKS FOR", "FINDS INSTEAD", "SHARE", "SINCE"},
		{"marketplace/corner-shop", "buy-now.json 5 (click #buy)", "#buy", "aria/Buy\uFFFD now", "25 % of 4", when(&since)},
		{"marketplace/corner-shop", "search.json 3 (extract .item)", "field price", "(missing)", "100 % of 2", when(&since)},
	} {
		for _, part := range want {
			if i >= len(lines) || !strings.Contains(lines[i], part) {
				t.Errorf("%q is not in line %d of\n%s", part, i+1, got.stdout)
			}
		}
	}
	if req, ok := e.requests[0].(*audit.ListDriftRequest); !ok || *req != (audit.ListDriftRequest{Integration: "marketplace", Site: "corner-shop", All: true}) {
		t.Errorf("asked for %+v", e.requests[0])
	}
}

func TestNoDriftIsSaid(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(_, res any) error {
		res.(*audit.Drift).Looks = []audit.Look{}
		return nil
	})
	if got := e.igw(t, "", nil, "site", "drift"); got.code != exitOK || !strings.Contains(got.stdout, "No step") {
		t.Errorf("got %+v", got)
	}
	if got := e.igw(t, "", nil, "--json", "site", "drift"); got.code != exitOK || strings.TrimSpace(got.stdout) != "[]" {
		t.Errorf("got %+v", got)
	}
}
