package flow

import (
	"maps"
	"slices"
)

// The words that the format knows, for the tests that hold its reference and
// its schemas against them.
var (
	StepTypes      = func() []string { return slices.Sorted(maps.Keys(standard)) }
	CustomSteps    = func() []string { return slices.Sorted(maps.Keys(custom)) }
	FieldKinds     = slices.Sorted(slices.Values(fieldKinds))
	PageConditions = slices.Sorted(slices.Values(pageConditions))
	WhenConditions = slices.Sorted(slices.Values(whenConditions))
	SiteConditions = slices.Sorted(slices.Values(siteConditions))
	Namespaces     = slices.Sorted(slices.Values(namespaces))
	Outcomes       = slices.Sorted(slices.Values(outcomes))
)
