package devtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/browser"
)

// targetEvent is what of the Target domain's events decides who hears them.
type targetEvent struct {
	SessionID          string               `json:"sessionId"`
	TargetID           proto.TargetTargetID `json:"targetId"`
	TargetInfo         targetInfo           `json:"targetInfo"`
	WaitingForDebugger bool                 `json:"waitingForDebugger"`
}

// hears tells whether the client is told of an event.
func (c *client) hears(ctx context.Context, m browser.Message) (bool, error) {
	if c.isOut(m.Session) || c.viewer && !viewEvents[m.Method] {
		return false, nil
	}
	if !strings.HasPrefix(m.Method, "Target.") {
		return true, nil
	}
	var e targetEvent
	if err := json.Unmarshal(m.Params, &e); err != nil {
		return false, fmt.Errorf("devtools: an event that is not understood: %w", err)
	}
	switch m.Method {
	case "Target.attachedToTarget":
		return c.attached(ctx, m.Session, e)
	case "Target.detachedFromTarget":
		c.sessions.removeFunc(func(a attachment) bool { return c.channel.TargetType(a.session) == "" })
		c.cut.remove(e.SessionID)
		return !c.hidden.remove(e.SessionID), nil
	case "Target.targetCreated":
		if !c.own(e.TargetInfo) {
			return false, nil
		}
		return true, c.told.add(telling{m.Session, e.TargetInfo.TargetID})
	case "Target.targetInfoChanged":
		return c.changed(ctx, e.TargetInfo)
	case "Target.targetDestroyed":
		return c.told.remove(telling{m.Session, e.TargetID}), nil
	case "Target.targetCrashed":
		return c.told.has(telling{m.Session, e.TargetID}), nil
	}
	return false, nil
}

// attached sees to sessions that come about. Chromium attaches a client that
// asks for all targets to those of other contexts too, and may hold these until
// somebody lets them go.
func (c *client) attached(ctx context.Context, parent string, e targetEvent) (bool, error) {
	if e.TargetInfo.Type == "browser" && !c.viewer {
		return true, c.browsers.add(e.TargetInfo.TargetID) // nothing but a command attaches to one
	}
	its := attachment{parent, e.SessionID, e.TargetInfo.TargetID}
	if c.own(e.TargetInfo) {
		return true, c.sessions.add(its)
	}
	if err := c.hidden.add(its.session); err != nil {
		return false, err
	}
	if e.WaitingForDebugger {
		if err := c.send(ctx, its.session, "Runtime.runIfWaitingForDebugger", empty); err != nil {
			return false, err
		}
	}
	return false, c.detach(ctx, its)
}

// changed looks after targets that turn into what is none of the client's, as a
// frame does for Chromium's viewer of PDF files.
func (c *client) changed(ctx context.Context, info targetInfo) (bool, error) {
	if c.own(info) {
		return true, nil
	}
	var lost []attachment
	c.sessions.removeFunc(func(a attachment) bool {
		if a.target == info.TargetID {
			lost = append(lost, a)
		}
		return a.target == info.TargetID
	})
	var errs []error
	for _, a := range lost {
		errs = append(errs, c.cut.add(a.session), c.detach(ctx, a))
	}
	return false, errors.Join(errs...)
}

func (c *client) detach(ctx context.Context, a attachment) error {
	return c.send(ctx, a.parent, "Target.detachFromTarget", map[string]string{"sessionId": a.session})
}
