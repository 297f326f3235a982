package integration

import (
	"encoding/json"
	"slices"
	"testing"

	"integration.gateway/contracts/catalog"
	"integration.gateway/contracts/clinicrecords"
	"integration.gateway/contracts/marketplacebusiness"
	"integration.gateway/pkg/flow"
)

func TestPagingIsAppliedWhereTheFlowLeavesIt(t *testing.T) {
	t.Parallel()
	all := func(n int) (clients []clinicrecords.Client) {
		for i := range n {
			clients = append(clients, clinicrecords.Client{ClientID: int64(i)})
		}
		return clients
	}
	pages := []string{"page", "pageSize"}
	for name, c := range map[string]struct {
		left    []string
		request map[string]any
		rows    int
		first   int64
		want    int
	}{
		"the first page":          {pages, nil, 120, 0, 50},
		"a later page":            {pages, map[string]any{"page": json.Number("3"), "pageSize": json.Number("40")}, 100, 80, 20},
		"a page past the end":     {pages, map[string]any{"page": json.Number("9")}, 100, 0, 0},
		"what the flow has done":  {nil, map[string]any{"page": json.Number("9")}, 100, 0, 100},
		"a page that is ignored":  {[]string{"pageSize"}, map[string]any{"page": json.Number("2"), "pageSize": json.Number("10")}, 100, 0, 10},
		"a limit and an index":    {[]string{"limit", "startIndex"}, map[string]any{"limit": json.Number("5"), "startIndex": json.Number("98")}, 100, 98, 2},
		"a limit alone":           {[]string{"limit"}, map[string]any{"limit": json.Number("5"), "startIndex": json.Number("98")}, 100, 0, 5},
		"an index past the end":   {[]string{"limit", "startIndex"}, map[string]any{"startIndex": json.Number("100")}, 100, 0, 0},
		"no limit is the longest": {[]string{"limit", "startIndex"}, nil, 501, 0, 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := clinicrecords.ClientList{Clients: all(c.rows)}
			applyPaging(c.left, c.request, &list)
			if len(list.Clients) != c.want || c.want > 0 && list.Clients[0].ClientID != c.first {
				t.Errorf("%d rows, from %v", len(list.Clients), list.Clients)
			}
		})
	}
	orders := marketplacebusiness.OrderList{}
	applyPaging([]string{"limit"}, nil, &orders) // none at all
}

// A list with paging must be the only one of its result.
func TestEveryPagedResultHasOneList(t *testing.T) {
	t.Parallel()
	found := 0
	for _, entry := range catalog.All() {
		if fields := flow.ContractOf(entry).Fields; !slices.Contains(fields, "pageSize") && !slices.Contains(fields, "limit") {
			continue
		}
		found++
		if _, result := entry.New(); !listOf(result).IsValid() {
			t.Errorf("%s has paging and not one list", entry.Info().ID())
		}
	}
	if found < 5 {
		t.Errorf("only %d operations are paged", found)
	}
}
