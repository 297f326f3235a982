package tab_test

import (
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/flow/tab"
)

// framed is a page with one frame of each kind, and one of another site's within
// one of a neighbour's within the page's own.
var framed = map[string]string{
	"page": `<div id=overlay hidden><button id=close>no</button></div><p style="height: 900px">tall</p>
		<iframe src=/form style="border: 7px solid; padding: 11px"></iframe>
		<iframe src=NEIGHBOUR/form style="border: 7px solid; padding: 11px"></iframe>
		<iframe src=OTHER/form style="border: 7px solid; padding: 11px"></iframe>
		<iframe src=/nest width=500 height=400></iframe>`,
	"nest":  `<p>padding</p><iframe src=NEIGHBOUR/nest2 width=400 height=300></iframe>`,
	"nest2": `<p>padding</p><iframe src=OTHER/form></iframe>`,
	"form": `<p id=out>-</p><input id=name oninput="say(value)"><button id=b onclick="say('clicked')">x</button>
		<select id=s onchange="say(value)"><option>a<option>b</select><i class=row>1</i><i class=row>2</i>
		<script>const say = text => out.textContent = text</script>`,
}

var frames = map[string][]int{
	"of the page's origin": {0}, "of another origin": {1}, "of another site": {2}, "of another site, two frames down": {3, 0, 0},
}

func TestEachGoalCanBeInAFrameOfAnyKind(t *testing.T) {
	t.Parallel()
	b := newBench(t, framed)
	b.open("page")
	out := func(frame []int) string {
		t.Helper()
		return b.look(5*time.Second, tab.Goal{Kind: tab.Visible, Frame: frame, Selectors: css("#out")}).Text
	}
	for name, frame := range frames {
		t.Run(name, func(t *testing.T) {
			for _, goal := range []tab.Goal{
				{Kind: tab.Visible, Selectors: css("#b")},
				{Kind: tab.Exists, Selectors: css("option")},
				{Kind: tab.Not, Selectors: css("#none"), Hold: 60},
				{Kind: tab.Count, Selectors: css(".row"), Operator: "==", Count: 2},
				{Kind: tab.Focus, Selectors: css("#name")},
				{Kind: tab.Scroll, X: 0, Y: 0},
			} {
				goal.Frame = frame
				if found := b.look(5*time.Second, goal); found.Goal != 0 {
					t.Errorf("%s: %v", goal.Kind, found.Reasons)
				}
			}
			read := b.look(5*time.Second, tab.Goal{
				Kind: tab.Read, Frame: frame, Each: &tab.Selector{By: "css", Value: ".row"}, Fields: []tab.Field{{Name: "n"}},
			})
			if string(read.Data) != `[{"n":"1"},{"n":"2"}]` {
				t.Errorf("read %s", read.Data)
			}
			for _, change := range []tab.Goal{
				{Selectors: css("#name"), Value: "Jane"}, {Selectors: css("#s"), Value: "b"},
			} {
				change.Kind, change.Frame = tab.Change, frame
				if found := b.look(5*time.Second, change); found.Goal != 0 || found.Refused {
					t.Errorf("change: %+v", found)
				}
				if got := out(frame); got != change.Value {
					t.Errorf("changed to %s, not %s", got, change.Value)
				}
			}
			point := b.look(5*time.Second, tab.Goal{Kind: tab.Point, Frame: frame, Selectors: css("#b"), Mark: true})
			if point.Goal != 0 {
				t.Fatalf("point: %v", point.Reasons)
			}
			if err := b.tab.Click(b.ctx, point.X, point.Y, proto.InputMouseButtonLeft, 1, 0); err != nil {
				t.Fatal(err)
			}
			if got := out(frame); got != "clicked" {
				t.Errorf("the click went elsewhere: %s", got)
			}
			if found := b.look(0, tab.Goal{Kind: tab.Gone}); found.Goal == 0 {
				t.Error("what was clicked is still there")
			}
			value, err := b.tab.Evaluate(b.ctx, `(out.textContent = 'own world', location.pathname)`, frame...)
			if err != nil || string(value) != `"/form"` || out(frame) != "own world" {
				t.Errorf("evaluated to %s, %v", value, err)
			}
		})
	}
}

func TestLookInAFrameSeesTheOverlayOfThePageFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t, framed)
	b.open("page")
	overlay := tab.Goal{Kind: tab.Visible, Selectors: css("#close")}
	change := func(frame []int) []tab.Goal {
		return []tab.Goal{overlay, {Kind: tab.Change, Frame: frame, Selectors: css("#name"), Value: "Jane"}}
	}
	for name, frame := range frames {
		if found := b.look(5*time.Second, change(frame)...); found.Goal != 1 {
			t.Errorf("%s, without an overlay: %+v", name, found)
		}
	}
	b.evaluate(`overlay.hidden = false`)
	for name, frame := range frames {
		b.evaluateIn(`document.querySelector('#name').value = ''`, frame)
		if found := b.look(5*time.Second, change(frame)...); found.Goal != 0 {
			t.Errorf("%s, under an overlay: %+v", name, found)
		}
		if value := b.evaluateIn(`document.querySelector('#name').value`, frame); value != `""` {
			t.Errorf("%s: typed %s under the overlay", name, value)
		}
	}
}

func (b *bench) evaluate(expression string) string { return b.evaluateIn(expression, nil) }

func (b *bench) evaluateIn(expression string, frame []int) string {
	b.Helper()
	value, err := b.tab.Evaluate(b.ctx, expression, frame...)
	if err != nil {
		b.Fatal(err)
	}
	return string(value)
}

func TestFrameIsWaitedForThroughItsDocuments(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"page":   `<script>setTimeout(() => document.body.append(Object.assign(document.createElement('iframe'), {src: 'OTHER/first'})), 200)</script><body>`,
		"first":  `<script>setTimeout(() => location = 'NEIGHBOUR/second', 200)</script>`,
		"second": `<script>setTimeout(() => location = 'SITE/third', 200)</script>`,
		"third":  `<script>setTimeout(() => location = 'OTHER/last', 200)</script>`,
		"last":   `<button id=b>there</button>`,
	})
	b.open("page")
	if found := b.look(8*time.Second, tab.Goal{Kind: tab.Visible, Frame: []int{0}, Selectors: css("#b")}); found.Text != "there" {
		t.Errorf("%+v", found)
	}
}

func TestChangeInAFrameThatLeadsItAwayIsDoneOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"page":   `<iframe src=OTHER/choose></iframe>`,
		"choose": `<select id=s onchange="location = '/chosen'"><option>a<option>b</select>`,
		"chosen": `<p id=p>chosen`,
	})
	b.open("page")
	if found := b.look(5*time.Second, tab.Goal{Kind: tab.Change, Frame: []int{0}, Selectors: css("#s"), Value: "b"}); found.Goal != 0 {
		t.Fatalf("%+v", found)
	}
	if found := b.look(5*time.Second, tab.Goal{Kind: tab.Visible, Frame: []int{0}, Selectors: css("#p")}); found.Text != "chosen" {
		t.Errorf("%+v", found)
	}
}

func TestFrameThatIsCoveredIsNotClicked(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"page": `<iframe src=OTHER/form></iframe><div id=cover style="position:fixed;inset:0"></div>`,
		"form": `<button id=b>x</button>`,
	})
	b.open("page")
	point := tab.Goal{Kind: tab.Point, Frame: []int{0}, Selectors: css("#b")}
	b.look(5*time.Second, tab.Goal{Kind: tab.Visible, Frame: []int{0}, Selectors: css("#b")})
	found := b.look(700*time.Millisecond, point)
	if found.Goal != -1 || len(found.Reasons) != 1 || found.Reasons[0] != "in a frame that is covered by div#cover" {
		t.Errorf("%+v", found)
	}
	b.evaluate(`setTimeout(() => cover.remove(), 100)`)
	if found := b.look(5*time.Second, point); found.Goal != 0 {
		t.Errorf("%+v", found)
	}
}

func TestOnlyNewsCountInFramesToo(t *testing.T) {
	t.Parallel()
	b := newBench(t, framed)
	b.open("page")
	for name, frame := range frames {
		goal := tab.Goal{Kind: tab.Visible, Frame: frame, Selectors: css(".row"), Fresh: true}
		b.look(5*time.Second, tab.Goal{Kind: tab.Exists, Frame: frame, Selectors: css(".row")})
		if err := b.tab.Baseline(b.ctx, goal); err != nil {
			t.Fatal(err)
		}
		if found := b.look(0, goal); found.Goal != -1 {
			t.Errorf("%s: an old row counts: %+v", name, found)
		}
		b.evaluateIn(`document.body.insertAdjacentHTML('beforeend', '<i class=row>new</i>')`, frame)
		if found := b.look(5*time.Second, goal); found.Text != "new" {
			t.Errorf("%s: the new row does not: %+v", name, found)
		}
	}
}

func TestLookCostsOneCallWhereNoFrameIsElsewhere(t *testing.T) {
	t.Parallel()
	b := newBench(t, framed)
	b.open("page")
	for _, frame := range frames { // all are there, so that only the look is counted
		b.look(5*time.Second, tab.Goal{Kind: tab.Exists, Frame: frame, Selectors: css("#b")})
	}
	for name, frame := range map[string][]int{"the page": nil, "a frame of its origin": {0}} {
		before := b.tab.Calls()
		goals := []tab.Goal{{Kind: tab.Visible, Selectors: css("#close")}, {Kind: tab.Exists, Frame: frame, Selectors: css("p")}}
		b.look(5*time.Second, goals...)
		if calls := b.tab.Calls() - before; calls != 1 {
			t.Errorf("a look in %s takes %d calls", name, calls)
		}
	}
}
