package flow

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/flow/placeholder"
	"integration.gateway/pkg/flow/tab"
)

// The steps that a person does with the mouse, and the setting of fields.

// click is the Recorder's click and doubleClick.
type click struct {
	selectors selectors
	goal      tab.Goal
	button    proto.InputMouseButton
	times     int
	hold      time.Duration
}

func (a *click) about() string { return a.selectors.String() }

func (a *click) read(o *object) {
	a.selectors = o.selectors(o.need("selectors"))
	a.goal = tab.Goal{Kind: tab.Point, Mark: true, OffsetX: o.offset("offsetX"), OffsetY: o.offset("offsetY")}
	a.button = map[string]proto.InputMouseButton{
		"": proto.InputMouseButtonLeft, "primary": proto.InputMouseButtonLeft, "auxiliary": proto.InputMouseButtonMiddle,
		"secondary": proto.InputMouseButtonRight, "back": proto.InputMouseButtonBack, "forward": proto.InputMouseButtonForward,
	}[o.oneOf("button", "primary", "auxiliary", "secondary", "back", "forward")]
	a.hold = o.millis("duration", 0)
	o.oneOf("deviceType", "mouse", "pen", "touch")
	a.times = max(a.times, 1)
}

func (o *object) offset(key string) *float64 {
	if !o.has(key) {
		o.take(key)
		return nil
	}
	f := o.number(key, 0)
	return &f
}

func (a *click) play(ctx context.Context, p *player, s *Step) error {
	found, err := p.find(ctx, s, a.selectors, a.goal)
	if err != nil {
		return err
	}
	if err := p.mayAct(ctx, s); err != nil {
		return err
	}
	p.typed = nil
	return p.tab.Click(ctx, found.X, found.Y, a.button, a.times, a.hold)
}

type hover struct {
	selectors selectors
	goal      tab.Goal
}

func (a *hover) about() string { return a.selectors.String() }

func (a *hover) read(o *object) {
	a.selectors = o.selectors(o.need("selectors"))
	a.goal = tab.Goal{Kind: tab.Point, OffsetX: o.offset("offsetX"), OffsetY: o.offset("offsetY")}
}

func (a *hover) play(ctx context.Context, p *player, s *Step) error {
	found, err := p.find(ctx, s, a.selectors, a.goal)
	if err != nil {
		return err
	}
	return p.tab.Hover(ctx, found.X, found.Y)
}

type change struct {
	selectors selectors
	value     placeholder.Template
	expect    *placeholder.Template
}

func (a *change) about() string { return a.selectors.String() }

func (a *change) read(o *object) {
	a.selectors = o.selectors(o.need("selectors"))
	a.value = o.template(o.need("value"), "value", placeholder.Plain)
	if n := o.take("expect"); n != nil {
		expect := o.template(n, "expect", placeholder.Plain)
		a.expect = &expect
	}
}

func (a *change) play(ctx context.Context, p *player, s *Step) error {
	value, err := p.fill(a.value)
	if err != nil {
		return err
	}
	goal := tab.Goal{Kind: tab.Change, Value: value}
	if a.expect != nil {
		expect, err := p.fill(*a.expect)
		if err != nil {
			return err
		}
		goal.Expect = &expect
	}
	return p.change(ctx, s, a.selectors, goal, a.value.Names())
}

// change sets a field and fails if the page makes something else of it. Names
// are those that the value is of. Where it is the request's and has line breaks
// or the like, which a field of one line does not hold, it is the request that
// must be changed, as long as nothing was done; otherwise the flow may be wrong.
func (p *player) change(ctx context.Context, s *Step, where selectors, goal tab.Goal, names [][]string) error {
	found, err := p.find(ctx, s, where, goal)
	if err != nil {
		return err
	}
	if found.Refused {
		outcome, whose := Plain, ""
		if i := slices.IndexFunc(names, func(name []string) bool { return !isNamespace(name) }); i >= 0 && p.effectKind == "" && strings.ContainsFunc(goal.Value, unicode.IsControl) {
			outcome, whose = Invalid, strings.Join(names[i], ".")+" cannot be entered as it is: "
		}
		return p.failure(s, outcome, "%s%s took another value than the one given; `expect` may say what the page makes of it", whose, where)
	}
	goal.Selectors, err = where.fill(p)
	p.typed = &tab.Goal{Kind: tab.Focus, Selectors: goal.Selectors, Frame: s.frame}
	return err
}
