package flow_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
)

// BenchmarkStepOverhead compares steps with the bare CDP calls that each needs
// at least, on the same warm page and turn by turn: by the medians, × is how
// many times as long the player takes. BenchmarkSearch of deploy/bench does so
// for navigate.
func BenchmarkStepOverhead(b *testing.B) {
	for _, c := range []struct {
		step, steps string
		bare        func(*testing.B, *rod.Page)
	}{
		{"click", `{type: click, selectors: ["#never", "#b"]}`, bareClick},
		{"change", `{type: change, selectors: ["#never", "#i"], value: typed}, {type: change, selectors: ["#i"], value: other}`, bareChange},
		{"waitForElement", `{type: waitForElement, selectors: ["#never", "#b"]}`, bareWait},
	} {
		b.Run(c.step, func(b *testing.B) {
			const rounds = 50
			// The measured steps do not compete with the first drawing of the page.
			steps := "  - {type: navigate, url: /page}\n  - {type: waitForExpression, expression: \"new Promise(drawn => setTimeout(() => drawn(true), 200))\"}\n" + strings.Repeat("  - "+strings.ReplaceAll(c.steps, "}, {", "}\n  - {")+"\n", rounds)
			head, files := one(steps)
			s := newShop(b, head, files, map[string]string{"/page": `<ul>` + strings.Repeat("<li>row", 50) + `</ul>
				<input id=i> <button id=b onclick="this.dataset.clicks = 1 + Number(this.dataset.clicks ?? 0)">x</button>`})
			ctx, cancel := context.WithCancel(context.Background())
			b.Cleanup(cancel)
			page, err := newPool(b, ctx).Acquire(ctx, browser.Tenant{Account: "anna", Origins: []string{s.url}})
			if err != nil {
				b.Fatal(err)
			}
			defer page.Release(false)
			site := s.load(nil)
			var player, bare []time.Duration
			for b.Loop() {
				_, trace, err := site.Play(ctx, page.Rod(), flow.Job{Operation: "op"})
				if err != nil {
					b.Fatal(err)
				}
				played := trace.Steps[2:]
				for _, step := range played {
					player = append(player, step.Took)
				}
				for range played {
					began := time.Now()
					c.bare(b, page.Rod())
					bare = append(bare, time.Since(began))
				}
			}
			b.ReportMetric(median(player), "ms/player")
			b.ReportMetric(median(bare), "ms/bare")
			b.ReportMetric(median(player)/median(bare), "×")
		})
	}
}

// evaluated counts the expressions. Each has a text of its own, as the steps of
// a flow have: the browser remembers what it has translated by its text.
var evaluated int

// evaluate runs an expression and fails the benchmark unless it comes through.
func evaluate(b *testing.B, page *rod.Page, expression string) *proto.RuntimeRemoteObject {
	b.Helper()
	evaluated++
	expression += fmt.Sprintf(" // %d", evaluated)
	answer, err := proto.RuntimeEvaluate{Expression: expression, AwaitPromise: true, ReturnByValue: true}.Call(page)
	if err != nil || answer.ExceptionDetails != nil {
		b.Fatal(err, answer)
	}
	return answer.Result
}

// bareClick finds, waits for a frame to see that the button stands still, hits,
// and lets the page react.
func bareClick(b *testing.B, page *rod.Page) {
	b.Helper()
	point := evaluate(b, page, `(async () => {
		const button = document.querySelector('#never') ?? document.querySelector('#b')
		const place = () => { const {left, top, width, height} = button.getBoundingClientRect(); return {left, top, width, height} }
		const before = place()
		await new Promise(requestAnimationFrame)
		const {left, top, width, height} = place()
		if (left !== before.left || top !== before.top || button.disabled || !button.checkVisibility({visibilityProperty: true})) throw 'moving'
		const point = {x: left + width / 2, y: top + height / 2}
		if (document.elementFromPoint(point.x, point.y) !== button) throw 'covered'
		return point
	})()`)
	x, y := point.Value.Get("x").Num(), point.Value.Get("y").Num()
	for _, event := range []proto.InputDispatchMouseEvent{
		{Type: proto.InputDispatchMouseEventTypeMouseMoved},
		{Type: proto.InputDispatchMouseEventTypeMousePressed, Button: proto.InputMouseButtonLeft, ClickCount: 1},
		{Type: proto.InputDispatchMouseEventTypeMouseReleased, Button: proto.InputMouseButtonLeft, ClickCount: 1},
	} {
		event.X, event.Y = x, y
		if err := event.Call(page); err != nil {
			b.Fatal(err)
		}
	}
	evaluate(b, page, `new Promise(resolve => setTimeout(resolve))`)
}

// bareChange types, leaves the field, lets the page react and reads back.
func bareChange(b *testing.B, page *rod.Page) {
	b.Helper()
	held := evaluate(b, page, `(async () => {
		const field = document.querySelector('#never') ?? document.querySelector('#i')
		if (field.disabled || field.readOnly || !field.checkVisibility({visibilityProperty: true})) throw 'not editable'
		const text = field.value === 'typed' ? 'other' : 'typed'
		field.focus()
		field.select()
		field.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true}))
		document.execCommand('insertText', false, text)
		field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}))
		field.blur()
		await new Promise(resolve => setTimeout(resolve))
		return field.value === text
	})()`)
	if !held.Value.Bool() {
		b.Fatal("the field took another value")
	}
}

// bareWait counts.
func bareWait(b *testing.B, page *rod.Page) {
	b.Helper()
	if n := evaluate(b, page, `(document.querySelectorAll('#never').length || document.querySelectorAll('#b').length)`); n.Value.Int() != 1 {
		b.Fatal(fmt.Sprint("counted ", n.Value))
	}
}
