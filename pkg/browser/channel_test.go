package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"integration.gateway/pkg/browser"
)

// client is one that speaks through a channel.
type client struct {
	t       *testing.T
	channel *browser.Channel
	lastID  int64
	events  []browser.Message // that came while an answer was awaited
}

func (b *bench) channel(page *browser.Page) *client {
	b.t.Helper()
	channel, err := page.OpenChannel(b.ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(channel.Close)
	t, _ := b.t.(*testing.T)
	return &client{t: t, channel: channel}
}

func (c *client) receive() browser.Message {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	m, err := c.channel.Receive(ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// call returns the answer's result, or its error.
func (c *client) call(session, method, params string) string {
	c.t.Helper()
	c.lastID++
	m := browser.Message{ID: c.lastID, Session: session, Method: method, Params: json.RawMessage(params)}
	if err := c.channel.Send(c.t.Context(), m); err != nil {
		c.t.Fatal(err)
	}
	for {
		switch m := c.receive(); {
		case m.Method != "":
			c.events = append(c.events, m)
		case m.ID != c.lastID:
			c.t.Fatalf("an answer to %d, not %d", m.ID, c.lastID)
		case m.Session != session && string(m.Error) != noSession:
			c.t.Fatalf("an answer of session %q, not %q", m.Session, session)
		case m.Error != nil:
			return string(m.Error)
		default:
			return string(m.Result)
		}
	}
}

const noSession = `{"code":-32001,"message":"Session with given id not found."}`

// attach opens a session with a target.
func (c *client) attach(target string) string {
	c.t.Helper()
	var got struct{ SessionID string }
	c.decode(c.call("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target)), &got)
	return got.SessionID
}

func (c *client) decode(text string, into any) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		c.t.Fatal(err, text)
	}
}

const askTitle = `{"expression":"document.title"}`

func TestChannelsSideBySideHaveNothingInCommon(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	defer page.Release(true)
	b.visit(page, "/blank.html")
	one, other := b.channel(page), b.channel(page)
	if one.channel.BrowserTarget() == other.channel.BrowserTarget() {
		t.Error("they share the browser's target")
	}
	target := string(page.Rod().TargetID)
	session := one.attach(target)
	if got := one.channel.TargetType(session); got != "page" {
		t.Errorf("it is attached to a %q", got)
	}
	if got := other.channel.TargetType(session); got != "" {
		t.Errorf("the other channel knows the session: %q", got)
	}
	if got := one.call(session, "Runtime.evaluate", `{"expression":"6*7"}`); !strings.Contains(got, `42`) {
		t.Error(got)
	}
	const setTitle = `{"expression":"document.title = 'changed'"}`
	if got := other.call(session, "Runtime.evaluate", setTitle); got != noSession {
		t.Errorf("the other channel's command to the session: %s", got)
	}
	if got := other.call(string(page.Rod().SessionID), "Runtime.evaluate", setTitle); got != noSession {
		t.Errorf("a command to go-rod's session: %s", got)
	}
	if got := text(t, page.Rod(), "document.title"); got == "changed" {
		t.Error("such a command was carried out")
	}
	one.call("", "Target.setDiscoverTargets", `{"discover":true}`)
	other.call("", "Browser.getVersion", "")
	if len(other.events) > 0 {
		t.Errorf("the other channel hears %v", other.events)
	}
	info, err := other.channel.Target(b.ctx, page.Rod().TargetID)
	if err != nil || info.BrowserContextID != page.ContextID() {
		t.Errorf("the page's target: %+v, %v", info, err)
	}
}

func TestAClosedChannelLeavesNothingInChromium(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	defer page.Release(true)
	c, other := b.channel(page), b.channel(page)
	session := c.attach(string(page.Rod().TargetID))
	c.call(session, "Emulation.setDeviceMetricsOverride", `{"width":111,"height":222,"deviceScaleFactor":1,"mobile":false}`)
	c.call(session, "Fetch.enable", `{}`)
	c.channel.Close()
	c.channel.Close()
	if _, err := c.channel.Receive(b.ctx); !errors.Is(err, browser.ErrChannelClosed) {
		t.Errorf("Receive: %v", err)
	}
	if err := c.channel.Send(b.ctx, browser.Message{ID: 1, Method: "Browser.getVersion"}); !errors.Is(err, browser.ErrChannelClosed) {
		t.Errorf("Send: %v", err)
	}
	var version struct{ Product string }
	other.decode(other.call("", "Browser.getVersion", ""), &version)
	var targets struct{ TargetInfos []struct{ Type string } }
	other.decode(other.call("", "Target.getTargets", `{"filter":[{"type":"browser"}]}`), &targets)
	eventually(t, "the page has its own size again", func() bool { return text(t, page.Rod(), "innerWidth") != "111" })
	b.visit(page, "/blank.html") // nobody intercepts its requests
}

func TestACommandIsAnsweredOnceAlsoWhenItsSessionEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	defer page.Release(true)
	c := b.channel(page)
	session := c.attach(string(page.Rod().TargetID))
	child := browser.Message{ID: 100, Session: session, Method: "Runtime.evaluate", Params: json.RawMessage(`{"expression":"new Promise(() => {})","awaitPromise":true}`)}
	if err := c.channel.Send(b.ctx, child); err != nil {
		t.Fatal(err)
	}
	detach := browser.Message{ID: 101, Method: "Target.detachFromTarget", Params: json.RawMessage(fmt.Sprintf(`{"sessionId":%q}`, session))}
	if err := c.channel.Send(b.ctx, detach); err != nil {
		t.Fatal(err)
	}
	var order []string
	answers := map[int64]browser.Message{}
	for len(answers) < 2 {
		m := c.receive()
		order = append(order, fmt.Sprint(m.Method, m.ID))
		if m.Method == "" {
			answers[m.ID] = m
		}
	}
	if len(answers[100].Error) == 0 {
		t.Errorf("the lost command's answer: %s", answers[100].Result)
	}
	if order[0] != "Target.detachedFromTarget0" {
		t.Errorf("clients hear of the end first: %v", order)
	}
	if got := c.call(session, "Runtime.evaluate", askTitle); got != noSession {
		t.Errorf("afterwards: %s", got)
	}
}

func TestChannelsEndWithTheLease(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	c := b.channel(page)
	page.Release(true)
	if _, err := c.channel.Receive(b.ctx); !errors.Is(err, browser.ErrReleased) {
		t.Errorf("got %v", err)
	}
	if _, err := page.OpenChannel(b.ctx); !errors.Is(err, browser.ErrReleased) {
		t.Errorf("a new one: %v", err)
	}
}

func TestChannelsEndWithChromium(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	defer page.Release(true)
	c := b.channel(page)
	if err := c.channel.Send(b.ctx, browser.Message{ID: 1, Method: "Browser.crash"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.channel.Receive(b.ctx); !errors.Is(err, browser.ErrGone) {
		t.Errorf("got %v", err)
	}
}

func TestParametersCannotBeTwoFrames(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	defer page.Release(true)
	c := b.channel(page)
	smuggled := browser.Message{ID: 1, Method: "Browser.getVersion", Params: json.RawMessage("{}}\x00" + `{"id":7,"method":"Browser.crash","params":{}`)}
	if err := c.channel.Send(b.ctx, smuggled); err == nil {
		t.Error("they were sent")
	}
	if got := c.call("", "Browser.getVersion", ""); !strings.Contains(got, "product") {
		t.Error(got)
	}
}
