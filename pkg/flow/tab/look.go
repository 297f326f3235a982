package tab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// Selector finds elements in one way.
type Selector struct {
	By    string `json:"by"` // css, pierce, xpath, text or aria
	Value string `json:"value"`
	Role  string `json:"role,omitempty"` // of aria only
}

// Selectors are alternatives; each is a chain from an ancestor or a shadow
// host to the target.
type Selectors [][]Selector

// The kinds of goal.
const (
	Visible = "visible" // an element that a person can see
	Exists  = "exists"  // an element, seen or not
	Not     = "not"     // no visible element, for Hold
	URL     = "url"     // the page's address and title, with *
	Status  = "status"  // the HTTP status of the document
	Count   = "count"   // as many elements as wanted
	Point   = "point"   // an element that a click would meet, and where
	Focus   = "focus"   // a visible element has the focus, unless another one has it
	Scroll  = "scroll"  // the page or an element is scrolled
	Change  = "change"  // a field is set and read back
	Gone    = "gone"    // the element clicked last has left
	Read    = "read"    // fields are read
	Ready   = "ready"   // the document is there
)

// Goal is one thing that a look waits for. Which fields count depends on the
// kind.
type Goal struct {
	Kind       string            `json:"kind"`
	Selectors  Selectors         `json:"selectors,omitempty"`
	Frame      []int             `json:"frame,omitempty"` // indexes of frames, from the page inwards
	URL        string            `json:"url,omitempty"`
	Title      string            `json:"title,omitempty"`
	Status     int               `json:"status,omitempty"`
	Hold       int64             `json:"hold,omitempty"`  // ms that a Not must hold
	Fresh      bool              `json:"fresh,omitempty"` // only what Baseline did not note
	Operator   string            `json:"operator,omitempty"`
	Count      int               `json:"count"`
	Visible    *bool             `json:"visible,omitempty"`
	Properties map[string]any    `json:"properties,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
	OffsetX    *float64          `json:"offsetX,omitempty"`
	OffsetY    *float64          `json:"offsetY,omitempty"`
	Mark       bool              `json:"mark,omitempty"` // note the element for Gone
	X          float64           `json:"x"`
	Y          float64           `json:"y"`
	Value      string            `json:"value"`
	Expect     *string           `json:"expect,omitempty"`
	Each       *Selector         `json:"each,omitempty"`
	Fields     []Field           `json:"fields"`
	Required   []string          `json:"required,omitempty"`
}

// Field is one value to read of a row.
type Field struct {
	Name      string    `json:"name"`
	Selector  *Selector `json:"selector,omitempty"`
	Attribute string    `json:"attribute,omitempty"`
	Property  string    `json:"property,omitempty"`
	As        string    `json:"as,omitempty"` // only exists, url and boolean matter here
	Each      *Selector `json:"each,omitempty"`
	Fields    []Field   `json:"fields"` // nil: the field is a value; else an object of these, maybe none
}

// Found is the goal that was met first, of those met at once the first listed.
type Found struct {
	Goal        int             `json:"goal"` // -1: none in time
	Alternative int             `json:"alternative"`
	Text        string          `json:"text"`    // of the element seen
	X           float64         `json:"x"`       // of a Point, in the page's coordinates
	Y           float64         `json:"y"`       //
	Refused     bool            `json:"refused"` // the field took another value
	Data        json.RawMessage `json:"data"`    // rows of a Read, also when some required field is missing
	Reasons     []string        `json:"reasons"` // why each goal was not met
	Address     string          `json:"address"` // where the page is now

	Elsewhere []int `json:"elsewhere"` // goals in frames that the script cannot look into
}

// grace is how much longer than the page we wait for its answer.
const grace = 2 * time.Second

// Look waits inside the page for the first of the goals, in one evaluate; goals
// in frames of other origins are looked for there, side by side. A document
// that goes away meanwhile is followed by the next one.
func (t *Tab) Look(ctx context.Context, timeout time.Duration, goals ...Goal) (Found, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout+grace)
	defer cancel()
	deadline := time.Now().Add(timeout)
	goals = t.whereMarked(goals)
	for {
		doc, err := t.document(ctx)
		if err != nil {
			return Found{}, err
		}
		ask := t.ask(goals, time.Until(deadline))
		var found Found
		err = t.call(ctx, doc, "wait", ask, &found)
		if err == nil && len(found.Elsewhere) > 0 {
			if found, err = t.across(ctx, doc, deadline, goals, found); err == nil {
				return found, nil
			}
		}
		switch {
		case err == nil:
			t.noteFound(goals, found, nil)
			if acts(goals, found) {
				return found, left(t.settled(ctx, doc, ask.ID))
			}
			t.moved(found.Address)
			return found, nil
		case !errors.Is(err, errGone):
			return Found{}, err
		}
		t.gone(doc)
		if t.told(ctx, "acted", ask.ID) { // it was the act that led away
			return Found{Goal: actor(goals)}, t.arrive(ctx)
		}
	}
}

// ask is the argument of the script's wait.
type ask struct {
	ID      int64   `json:"id"`
	Timeout float64 `json:"timeout"`
	Goals   []Goal  `json:"goals"`
	Hold    bool    `json:"hold,omitempty"` // tell of a change that could be made, and do not make it
}

func (c *control) ask(goals []Goal, timeout time.Duration) ask {
	return ask{ID: c.nextID.Add(1), Timeout: max(0, float64(timeout.Milliseconds())), Goals: goals}
}

func acts(goals []Goal, found Found) bool {
	return found.Goal >= 0 && goals[found.Goal].Kind == Change
}

func actor(goals []Goal) int {
	for i, g := range goals {
		if g.Kind == Change {
			return i
		}
	}
	return -1
}

// errGone is the answer of a document that is not there any more.
var errGone = errors.New("the document has gone")

// call runs a function of the script in the document's isolated world. The
// argument travels as data, never as a part of the code.
func (t *Tab) call(ctx context.Context, doc document, function string, arg, result any) error {
	raw, err := json.Marshal(arg)
	if err != nil {
		return fmt.Errorf("calling %s in the page: %w", function, err)
	}
	value, err := t.evaluate(ctx, doc.session, proto.RuntimeEvaluate{
		Expression:    "gateway." + function + "(" + string(raw) + ")",
		ContextID:     doc.context,
		AwaitPromise:  true,
		ReturnByValue: true,
	})
	if err != nil || result == nil {
		return err
	}
	if err := json.Unmarshal(value, result); err != nil {
		return fmt.Errorf("reading the answer of %s in the page: %w", function, err)
	}
	return nil
}

// ScriptError is an exception that a script threw inside the page.
type ScriptError struct {
	Class string // such as SyntaxError; the message may hold what a user typed
}

// Error names the exception's class.
func (e *ScriptError) Error() string {
	return "a selector or script failed in the page with " + strings.TrimPrefix(e.Class, "Uncaught ")
}

// answer is Runtime.evaluate's, with the value left as JSON.
type answer struct {
	Result struct {
		Value json.RawMessage `json:"value"`
	} `json:"result"`
	Exception *struct {
		Text      string `json:"text"`
		Exception struct {
			Description string `json:"description"`
		} `json:"exception"`
	} `json:"exceptionDetails"`
}

func (t *Tab) evaluate(ctx context.Context, session proto.TargetSessionID, request proto.RuntimeEvaluate) (json.RawMessage, error) {
	t.calls.Add(1)
	ctx, cancel := t.bound(ctx, session)
	defer cancel()
	raw, err := t.browser.Call(ctx, string(session), request.ProtoReq(), request)
	if session != t.page.SessionID && errors.Is(err, cdp.ErrSessionNotFound) {
		return nil, errGone
	}
	if err != nil {
		return nil, t.failed(ctx, err)
	}
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("reading the browser's answer: %w", err)
	}
	if a.Exception == nil {
		return a.Result.Value, nil
	}
	text := a.Exception.Exception.Description
	if text == "" {
		text = a.Exception.Text
	}
	if strings.HasPrefix(text, "ReferenceError: gateway is not defined") {
		// The number of the context now belongs to another document.
		return nil, errGone
	}
	// The rest may quote a selector with a request's values in it.
	text, _, _ = strings.Cut(text, ":")
	return nil, &ScriptError{Class: text}
}

// failed tells a document that went away from a real failure.
func (t *Tab) failed(ctx context.Context, err error) error {
	var refusal *cdp.Error
	if errors.As(err, &refusal) {
		for _, text := range []string{"Execution context was destroyed", "Cannot find context", "Inspected target navigated", "uniqueContextId not found"} {
			if strings.Contains(refusal.Message, text) {
				return errGone
			}
		}
		if refusal.Code == cdp.ErrSessionNotFound.Code && t != t.main {
			return ErrClosed
		}
	}
	if cause := context.Cause(ctx); errors.Is(cause, ErrClosed) || errors.Is(cause, errGone) {
		return cause // see bound
	}
	if ended := t.ended(); ended != nil {
		return ended
	}
	if ctx.Err() != nil {
		return fmt.Errorf("the page did not answer: %w", context.Cause(ctx))
	}
	return fmt.Errorf("the browser refused: %w", err)
}

// Evaluate runs an expression in the page's own world, or in that of one of its
// frames, and returns its value, a promise's included. It is not repeated when
// the document goes away.
func (t *Tab) Evaluate(ctx context.Context, expression string, frame ...int) (json.RawMessage, error) {
	if _, err := t.document(ctx); err != nil {
		return nil, err
	}
	request := proto.RuntimeEvaluate{Expression: expression, AwaitPromise: true, ReturnByValue: true}
	session := t.page.SessionID
	if len(frame) > 0 {
		place, err := t.realmOf(ctx, frame)
		if err != nil {
			return nil, err
		}
		session, request.ContextID = place.session, place.context
	}
	value, err := t.evaluate(ctx, session, request)
	if errors.Is(err, errGone) {
		return nil, fmt.Errorf("evaluating: %w", err)
	}
	return value, err
}

// IsGone reports whether err came from a document that went away meanwhile.
func IsGone(err error) bool { return errors.Is(err, errGone) }
