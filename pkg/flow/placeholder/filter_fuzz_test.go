package placeholder_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"integration.gateway/pkg/flow/placeholder"
)

// FuzzFilters puts any value through any chain of filters, in every place:
// whatever they make of it is bounded, in size and in time.
func FuzzFilters(f *testing.F) {
	for _, chain := range []string{
		"lower | upper | digits", `replace: "a", "aaaaaaaaaaaaaaaa" | replace: "a", "aaaaaaaaaaaaaaaa" | replace: "a", "aaaaaaaaaaaaaaaa"`,
		"plus: 1 | minus: 2.5 | times: 1e49 | times: 1e49 | number: 20", `date: "YYYY YY MMMM MMM MM M DD D HH H hh h mm m ss A a" | date`,
		"json | lower | json | lower | json", `map: "a=b" | default: 1 | json`, `match: "(a+)+$" | default: x`, `join: ",;" | path`, "path | json | path",
	} {
		for _, value := range hostile[:len(hostile)-1] {
			f.Add(value, chain)
		}
		f.Add(strings.Repeat("a", 1<<12), chain)
		f.Add("1e999999999", chain)
		f.Add("2026-03-07T23:30:00Z", chain)
	}
	f.Add(hostile[len(hostile)-1], "json | path")
	f.Fuzz(func(t *testing.T, value, chain string) {
		for place := placeholder.Plain; place <= placeholder.Address; place++ {
			source := map[placeholder.Place]string{placeholder.XPath: "'{{ x | " + chain + " }}'"}[place]
			if source == "" {
				source = "{{ x | " + chain + " }}"
			}
			template, err := placeholder.Parse(source, place)
			if err != nil {
				return
			}
			for _, v := range []any{value, json.Number(value), true, 1.5, []any{value, value}, map[string]any{value: value}, time.Unix(int64(len(value)), 0), nil} {
				begun := time.Now()
				got, err := template.Fill(func([]string) (any, bool) { return v, true }, placeholder.Formats{Decimal: ","})
				if took := time.Since(begun); took > 10*time.Second {
					t.Errorf("%s took %s", source, took)
				}
				const most = 13 * (4 << 20) // what escaping makes of the longest value
				if err == nil && len(got) > most+len(source) {
					t.Errorf("%s makes %d bytes of %d", source, len(got), len(value))
				}
			}
		}
	})
}
