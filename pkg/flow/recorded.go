package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/flow/placeholder"
	"integration.gateway/pkg/flow/tab"
)

// The steps of the Recorder that concern the page as a whole.

type setViewport struct {
	viewport tab.Viewport
}

func (a *setViewport) about() string { return "" }

func (a *setViewport) read(o *object) {
	o.need("width")
	o.need("height")
	a.viewport.Width = o.count("width", 1280, 1, 10000)
	a.viewport.Height = o.count("height", 900, 1, 10000)
	a.viewport.Scale = o.number("deviceScaleFactor", 1)
	a.viewport.Mobile = o.bool("isMobile")
	a.viewport.Touch = o.bool("hasTouch")
	a.viewport.Landscape = o.bool("isLandscape")
}

func (a *setViewport) play(ctx context.Context, p *player, _ *Step) error {
	return p.tab.Viewport(ctx, a.viewport)
}

type navigate struct {
	url placeholder.Template
}

func (a *navigate) about() string { return a.url.String() }

func (a *navigate) read(o *object) {
	a.url = o.template(o.need("url"), "url", placeholder.URL)
}

func (a *navigate) play(ctx context.Context, p *player, _ *Step) error {
	address, err := p.fill(a.url)
	if err != nil {
		return err
	}
	return p.navigate(ctx, address)
}

// navigate opens an address of the site. Before the effect it is tried once
// more when the machine's network has just changed.
func (p *player) navigate(ctx context.Context, address string) error {
	p.typed = nil
	err := p.tab.Navigate(ctx, p.site.absolute(address))
	if errors.Is(err, tab.ErrNetworkChanged) && p.effectKind == "" {
		err = p.tab.Navigate(ctx, p.site.absolute(address))
	}
	return err
}

type scroll struct {
	selectors selectors
	x, y      float64
}

func (a *scroll) about() string { return a.selectors.String() }

func (a *scroll) read(o *object) {
	a.selectors = o.selectors(o.take("selectors"))
	a.x, a.y = o.number("x", 0), o.number("y", 0)
}

func (a *scroll) play(ctx context.Context, p *player, s *Step) error {
	_, err := p.find(ctx, s, a.selectors, tab.Goal{Kind: tab.Scroll, X: a.x, Y: a.y})
	return err
}

type network struct {
	conditions proto.NetworkEmulateNetworkConditions
}

func (a *network) about() string { return "" }

func (a *network) read(o *object) {
	a.conditions.DownloadThroughput = o.number("download", -1)
	a.conditions.UploadThroughput = o.number("upload", -1)
	a.conditions.Latency = o.number("latency", 0)
}

func (a *network) play(ctx context.Context, p *player, _ *Step) error {
	return p.tab.Network(ctx, a.conditions)
}

// closing is the Recorder's close. The page itself is given back at the end anyhow.
type closing struct{}

func (a *closing) about() string { return "" }

func (a *closing) read(*object) {}

func (a *closing) play(ctx context.Context, p *player, _ *Step) error { return p.tab.Close(ctx) }

type waitForElement struct {
	selectors selectors
	goal      tab.Goal
}

func (a *waitForElement) about() string { return a.selectors.String() }

func (a *waitForElement) read(o *object) {
	a.selectors = o.selectors(o.need("selectors"))
	a.goal = tab.Goal{Kind: tab.Count, Count: o.count("count", 1, 0, 1_000_000), Operator: o.oneOf("operator", ">=", "==", "<=")}
	if a.goal.Operator == "" {
		a.goal.Operator = ">="
		if o.has("count") {
			a.goal.Operator = "=="
		}
	}
	if o.has("visible") {
		visible := o.bool("visible")
		a.goal.Visible = &visible
	}
	if n := o.take("properties"); n != nil {
		o.object(n, "properties")
		a.goal.Properties, _ = n.plain().(map[string]any)
	}
	if n := o.take("attributes"); n != nil {
		a.goal.Attributes = map[string]string{}
		for _, e := range o.object(n, "attributes").node.entries {
			a.goal.Attributes[e.key] = o.scalar(e.value, "attribute")
		}
	}
}

func (a *waitForElement) play(ctx context.Context, p *player, s *Step) error {
	_, err := p.find(ctx, s, a.selectors, a.goal)
	return err
}

type waitForExpression struct {
	expression placeholder.Template
}

func (a *waitForExpression) about() string { return "" }

func (a *waitForExpression) read(o *object) {
	a.expression = o.template(o.need("expression"), "expression", placeholder.Expression)
}

// slice is how long a step waits before overlays and signedOut are looked for
// again, where that cannot be done in the same evaluate.
const slice = 500 * time.Millisecond

func (a *waitForExpression) play(ctx context.Context, p *player, s *Step) error {
	expression, err := p.fill(a.expression)
	if err != nil {
		return err
	}
	limit := p.timeoutOf(s)
	deadline := time.Now().Add(limit)
	for {
		if err := p.watch(ctx, s); err != nil {
			return err
		}
		met, err := p.waitFor(ctx, expression, time.Until(deadline), s.frame...)
		if err != nil || met {
			return err
		}
		if time.Now().After(deadline) {
			return p.failure(s, Plain, "the expression was not true within %s", limit)
		}
	}
}

// waitFor waits inside the page for an expression to be true, for a slice of
// what is left; a promise may take all of that. An expression that throws is
// not true yet, and one whose document goes away is tried again on the next.
func (p *player) waitFor(ctx context.Context, expression string, left time.Duration, frame ...int) (bool, error) {
	left = max(0, left)
	script := fmt.Sprintf(`(async (pause, left) => {
		const began = performance.now();
		const late = new Promise(resolve => setTimeout(resolve, left, false));
		do {
			try { if (await Promise.race([(%s
			), late])) return true; } catch {}
			await new Promise(resolve => setTimeout(resolve, 20));
		} while (performance.now() - began < pause);
		return false;
	})(%d, %d)`, expression, min(slice, left).Milliseconds(), left.Milliseconds())
	value, err := p.tab.Evaluate(ctx, script, frame...)
	if tab.IsGone(err) {
		return false, nil
	}
	return string(value) == "true", err
}
