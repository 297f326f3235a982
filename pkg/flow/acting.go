package flow

import (
	"context"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/flow/placeholder"
	"integration.gateway/pkg/flow/tab"
)

// The steps that a person does with mouse and keyboard.

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
	return p.change(ctx, s, a.selectors, goal)
}

// change sets a field and fails if the page makes something else of it.
func (p *player) change(ctx context.Context, s *Step, where selectors, goal tab.Goal) error {
	found, err := p.find(ctx, s, where, goal)
	if err != nil {
		return err
	}
	if found.Refused {
		return p.failure(s, Plain, "%s took another value than the one given; `expect` may say what the page makes of it", where)
	}
	return nil
}

// key is keyDown and keyUp.
type key struct {
	down bool
	name string
	key  input.Key
}

func (a *key) about() string { return a.name }

var keys = map[string]input.Key{
	"Enter": input.Enter, "Tab": input.Tab, "Escape": input.Escape, "Backspace": input.Backspace, "Delete": input.Delete,
	"Space": input.Space, "ArrowUp": input.ArrowUp, "ArrowDown": input.ArrowDown, "ArrowLeft": input.ArrowLeft,
	"ArrowRight": input.ArrowRight, "Home": input.Home, "End": input.End, "PageUp": input.PageUp, "PageDown": input.PageDown,
	"Insert": input.Insert, "Shift": input.ShiftLeft, "ShiftLeft": input.ShiftLeft, "ShiftRight": input.ShiftRight,
	"Control": input.ControlLeft, "ControlLeft": input.ControlLeft, "ControlRight": input.ControlRight,
	"Alt": input.AltLeft, "AltLeft": input.AltLeft, "AltRight": input.AltRight, "Meta": input.MetaLeft,
	"MetaLeft": input.MetaLeft, "MetaRight": input.MetaRight, "CapsLock": input.CapsLock, "ContextMenu": input.ContextMenu,
	"F1": input.F1, "F2": input.F2, "F3": input.F3, "F4": input.F4, "F5": input.F5, "F6": input.F6,
	"F7": input.F7, "F8": input.F8, "F9": input.F9, "F10": input.F10, "F11": input.F11, "F12": input.F12,
}

// modifiers are CDP's bits of the keys that change what others mean.
var modifiers = map[string]int{"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}

func (a *key) read(o *object) {
	n := o.need("key")
	a.name = o.scalar(n, "key")
	name := a.name // of a key by its place on the keyboard: what it types there
	if place, ok := strings.CutPrefix(name, "Key"); ok && len(place) == 1 {
		name = strings.ToLower(place)
	} else if place, ok := strings.CutPrefix(name, "Digit"); ok {
		name = place
	}
	if k, ok := keys[name]; ok {
		a.key = k
	} else if len(name) == 1 && name[0] >= ' ' && name[0] <= '~' {
		a.key = input.Key(name[0])
	} else if n != nil {
		o.fault(n.line, "unknown key %q", a.name)
	}
}

func (a *key) play(ctx context.Context, p *player, s *Step) error {
	if err := p.watch(ctx, s); err != nil {
		return err
	}
	plain := strings.TrimSuffix(strings.TrimSuffix(a.name, "Left"), "Right")
	if bit := modifiers[plain]; a.down {
		p.modifiers |= bit
	} else {
		p.modifiers &^= bit
	}
	if err := p.mayAct(ctx, s); err != nil {
		return err
	}
	return p.tab.Key(ctx, tab.KeyEvent(a.key, a.down, p.modifiers))
}
