package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
)

// What an effect newly makes is known by an identifier that each result has. An
// operation that names none makes nothing new: whatever its result identifies,
// the request has named.
func TestCreatesNamesTheIdentifierOfWhatIsNew(t *testing.T) {
	t.Parallel()
	for _, entry := range catalog.All() {
		info := entry.Info()
		req, res := entry.New()
		contracts.FillExample(req)
		contracts.FillExample(res)
		if info.Creates == "" {
			for name := range object(t, res) {
				if info.Effect != contracts.NoEffect && strings.HasSuffix(name, "Id") && !names(object(t, req), name) {
					t.Errorf("%s: the request does not name %s, so the effect makes it", info.ID(), name)
				}
			}
			continue
		}
		if info.Effect == contracts.NoEffect {
			t.Errorf("%s: what has no effect creates nothing", info.ID())
		}
		if names(object(t, req), info.Creates) {
			t.Errorf("%s: the request names %s, so it is not new", info.ID(), info.Creates)
		}
		_, empty := entry.New() // omits nothing: each result has it
		if whole, bare := valueAt(object(t, res), info.Creates), valueAt(object(t, empty), info.Creates); whole == nil || bare == nil {
			t.Errorf("%s: %s is %v in a result, and %v in an empty one", info.ID(), info.Creates, whole, bare)
		}
	}
}

// names says whether a request holds a field, as a parameter or in its body.
func names(request map[string]any, name string) bool {
	return valueAt(request, name) != nil || valueAt(request, "body."+name) != nil
}

// valueAt returns the text or number that a dotted name leads to, nil for another value or none.
func valueAt(v any, name string) any {
	for segment := range strings.SplitSeq(name, ".") {
		record, _ := v.(map[string]any)
		v = record[segment]
	}
	switch v.(type) {
	case string, float64, json.Number:
		return v
	}
	return nil
}
