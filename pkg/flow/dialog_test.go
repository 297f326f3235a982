package flow_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"integration.gateway/pkg/flow"
)

// Chromium takes no answer to a dialog of a document whose successor is ready,
// and shows no successor before the dialog is answered: the flow fails at once,
// and the page is not used again.
func TestDialogOfADocumentThatIsBeingReplaced(t *testing.T) {
	t.Parallel()
	site, files := one(`
  - {type: navigate, url: /first}
  - {type: waitForElement, selectors: ["#waiting"]}
  - {type: navigate, url: /second}
`)
	s := newShop(t, site, files, map[string]string{
		"/first": `<p id=p></p><script>
			fetch('/left').then(() => {
				fetch('/busy')
				for (const end = Date.now() + 300; Date.now() < end;); // the next document becomes ready
				alert('left')
			})
			p.id = 'waiting', p.append('waiting')
		</script>`,
	})
	leaving, busy := make(chan struct{}), make(chan struct{})
	var leave, keep sync.Once
	s.mux.HandleFunc("/left", func(_ http.ResponseWriter, r *http.Request) { within(r, leaving) })
	s.mux.HandleFunc("/busy", func(http.ResponseWriter, *http.Request) { keep.Do(func() { close(busy) }) })
	s.mux.HandleFunc("/second", func(w http.ResponseWriter, r *http.Request) {
		leave.Do(func() { close(leaving) })
		within(r, busy)
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<!doctype html>")
	})
	_, trace, err := s.play(s.load(nil), flow.Job{Operation: "op"})
	if err == nil || !strings.Contains(err.Error(), "opened a dialog at the moment of leaving") || trace.Unclean == nil {
		t.Errorf("%v, %v", err, trace.Unclean)
	}
}

func within(r *http.Request, done <-chan struct{}) {
	select {
	case <-done:
	case <-r.Context().Done():
	}
}
