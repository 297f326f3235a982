package tab

import (
	"errors"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// Dialog says how to answer an alert, confirm or prompt. The zero value
// dismisses it.
type Dialog struct {
	Accept bool
	Text   string // what to write into a prompt
}

// AnswerNext sets the answer to the next dialog, in whichever tab it opens;
// those after it are dismissed.
func (t *Tab) AnswerNext(d Dialog) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dialog = d
}

// leftDialog dismisses a dialog that came when nobody had control of the page,
// which stands still until then. Mostly there is none.
type leftDialog struct {
	proto.PageHandleJavaScriptDialog
}

// Call sends the request.
func (r leftDialog) Call(c proto.Client) error {
	_ = r.PageHandleJavaScriptDialog.Call(c)
	return nil
}

// answerDialog answers a dialog that has opened. It runs under the lock.
func (c *control) answerDialog(s *session, e proto.PageJavascriptDialogOpening) {
	answer := proto.PageHandleJavaScriptDialog{Accept: true} // the flow wants to leave
	if e.Type != proto.PageDialogTypeBeforeunload {
		answer.Accept, answer.PromptText = c.dialog.Accept, c.dialog.Text
		c.dialog = Dialog{}
	}
	c.calls.Add(1)
	c.answers.Go(func() {
		var refusal *cdp.Error
		if errors.As(answer.Call(s), &refusal) && refusal.Message == notActive {
			c.mu.Lock()
			defer c.mu.Unlock()
			s.tab.state.crashed = errDialogStays
			c.tell()
		}
	})
}

// A document that is about to be replaced may still open a dialog. When the next
// one is ready, Chromium takes no answer for the one before any more, and the
// next cannot come before the dialog is answered. Nothing but closing the page
// helps: to switch its domain off, or to end its session, kills the browser.
var errDialogStays = errors.New("the page opened a dialog at the moment of leaving, and Chromium takes no answer to that")

const notActive = "Not attached to an active page"
