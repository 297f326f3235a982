package tab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Request is one that the page's document makes, with its cookies and under
// its own rules (CORS and CSP), out of reach of the page's script.
type Request struct {
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Body    *string           `json:"body,omitempty"`
}

// Answer is what came back. Without Failed it has a status.
type Answer struct {
	Failed string `json:"failed"` // one of the reasons below
	Status int    `json:"status"`
	URL    string `json:"url"`  // where redirects led to
	Type   string `json:"type"` // of the content
	Text   string `json:"text"`
	JSON   bool   `json:"json"` // the text is JSON; any other text is left out
}

// Why there is no answer.
const (
	Unanswered = "unanswered" // no network, or the browser refused it
	Late       = "late"
	TooLarge   = "large"
)

// MaxAnswer bounds the text of an answer, in bytes. As the browser's own JSON
// it grows to three times that, and one message of it may have 64 MiB.
const MaxAnswer = 16 << 20

// Ask makes a request inside the page and waits for its answer. What changes
// nothing at the site is asked again when its document goes away meanwhile.
func (t *Tab) Ask(ctx context.Context, timeout time.Duration, r Request) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout+grace)
	defer cancel()
	repeatable := r.Method == http.MethodGet || r.Method == http.MethodHead
	for {
		doc, err := t.document(ctx)
		if err != nil {
			return Answer{}, err
		}
		var answer Answer
		err = t.call(ctx, doc, "ask", struct {
			Request
			Limit   int   `json:"limit"`
			Timeout int64 `json:"timeout"`
		}{r, MaxAnswer, timeout.Milliseconds()}, &answer)
		if errors.Is(err, errGone) {
			t.gone(doc)
			if repeatable {
				continue
			}
			return Answer{}, fmt.Errorf("the page went away before the answer came: %w", err)
		}
		return answer, err
	}
}

// Stored reads items of the page's local storage. What is not there is left
// out.
func (t *Tab) Stored(ctx context.Context, names []string) (map[string]string, error) {
	for {
		doc, err := t.document(ctx)
		if err != nil {
			return nil, err
		}
		var items map[string]string
		err = t.call(ctx, doc, "stored", names, &items)
		if !errors.Is(err, errGone) {
			return items, err
		}
		t.gone(doc)
	}
}
