package flow_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/flow"
)

func TestViewportThatIsInForceIsNotSetAgain(t *testing.T) {
	t.Parallel()
	s := newShop(t, "operations: {narrow: {flow: narrow.yaml}, wide: {flow: wide.yaml}}\n", map[string]string{
		"narrow.yaml": "steps:\n  - {type: setViewport, width: 700, height: 500}\n  - {type: navigate, url: /page}\n",
		"wide.yaml":   "steps:\n  - {type: setViewport, width: 900, height: 500}\n  - {type: navigate, url: /page}\n",
	}, map[string]string{"/page": "here"})
	site := s.load(nil)
	var calls []int64
	var widths []int
	for _, operation := range []string{"narrow", "narrow", "wide", "narrow"} {
		_, trace, err := s.play(site, flow.Job{Operation: operation})
		if err != nil {
			t.Fatal(err)
		}
		calls, widths = append(calls, trace.Calls), append(widths, s.page.MustEval("() => innerWidth").Int())
	}
	if diff := cmp.Diff([]int{700, 700, 900, 700}, widths); diff != "" {
		t.Errorf("widths (-want +got):\n%s", diff)
	}
	if calls[2] != calls[1]+1 || calls[3] != calls[1]+1 {
		t.Errorf("the playings take %d calls; the second needs one call less than the third and the fourth", calls)
	}
}
