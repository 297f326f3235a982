package placeholder

import (
	"maps"
	"slices"
)

// Filters lists the names of the filters, in their order.
func Filters() []string { return slices.Sorted(maps.Keys(filters)) }
