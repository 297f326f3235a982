package flow_test

import (
	"strings"
	"testing"

	"integration.gateway/pkg/flow"
)

// TestPagesCannotMakeFailuresLong keeps messages to what a log, an event and an
// answer have room for.
func TestPagesCannotMakeFailuresLong(t *testing.T) {
	t.Parallel()
	site, files := one("  - {type: navigate, url: /page}\n  - {type: click, timeout: 300, selectors: ['#a']}\n")
	s := newShop(t, site, files, map[string]string{
		"/page": `<button id=a>x</button><div id="` + strings.Repeat("A", 1<<20) + `" style="position: fixed; inset: 0"></div>`,
	})
	_, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
	if err == nil || !strings.Contains(err.Error(), "covered by div#AAA") || len(err.Error()) > 500 {
		t.Errorf("got %.600s", err)
	}
}
