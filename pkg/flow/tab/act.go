package tab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// Navigate opens an address and waits until its document's DOMContentLoaded.
func (t *Tab) Navigate(ctx context.Context, address string) error {
	if !t.options.Allowed(address) {
		return &RefusedError{Origin: originOf(address)}
	}
	t.calls.Add(1)
	result, err := proto.PageNavigate{URL: address}.Call(t.page.Context(ctx))
	if ended := t.ended(); ended != nil {
		return ended
	}
	if err != nil {
		return t.failed(ctx, err)
	}
	if result.ErrorText == "net::ERR_NETWORK_CHANGED" {
		return ErrNetworkChanged
	}
	if result.ErrorText != "" {
		return fmt.Errorf("the site did not answer: %s", result.ErrorText)
	}
	return t.await(ctx, func(s *state) bool {
		// No loader: only the part after # changed.
		return result.LoaderID == "" || s.ready == result.LoaderID && s.doc.serial > 0
	})
}

// ErrNetworkChanged says that Chromium broke a request off since this machine's
// network has just changed, as it does where containers come and go. It says
// nothing about the site.
var ErrNetworkChanged = errors.New("the network of this machine has just changed")

// Click presses and releases a button of the mouse at a point, times times,
// and waits for what the click sets off at once: a new document, if one
// starts to load. It never clicks again.
func (t *Tab) Click(ctx context.Context, x, y float64, button proto.InputMouseButton, times int, hold time.Duration) error {
	doc, err := t.document(ctx)
	if err != nil {
		return err
	}
	if err := t.Hover(ctx, x, y); err != nil {
		return err
	}
	if err := t.arriveAt(ctx, doc, x, y); err != nil {
		return left(err)
	}
	for n := 1; n <= times; n++ {
		for _, kind := range []proto.InputDispatchMouseEventType{
			proto.InputDispatchMouseEventTypeMousePressed, proto.InputDispatchMouseEventTypeMouseReleased,
		} {
			event := proto.InputDispatchMouseEvent{Type: kind, X: x, Y: y, Button: button, ClickCount: n, Modifiers: t.modifiers}
			if err := t.send(ctx, event); err != nil {
				return left(err)
			}
			if kind == proto.InputDispatchMouseEventTypeMousePressed && hold > 0 {
				if err := pause(ctx, hold); err != nil {
					return err
				}
			}
		}
	}
	return left(t.settle(ctx, doc))
}

// arriveAt moves the mouse again until it is over what the last Point was of.
// Where frames have processes of their own, Chromium sends the mouse to the one
// whose frame was in that place when it drew last, which a scroll may have
// changed since.
func (t *Tab) arriveAt(ctx context.Context, doc document, x, y float64) error {
	if !t.isSplit() {
		return nil
	}
	if t.touched != nil {
		doc = t.touched.document
	}
	for deadline := time.Now().Add(arriveIn); time.Now().Before(deadline); {
		var over bool
		if err := t.call(ctx, doc, "isOver", nil, &over); over || err != nil {
			if errors.Is(err, errGone) {
				return nil
			}
			return err
		}
		if err := pause(ctx, pauseBetween); err != nil {
			return err
		}
		if err := t.Hover(ctx, x, y); err != nil {
			return err
		}
	}
	return nil
}

// arriveIn bounds arriveAt: where the page lays something else under the mouse
// as it comes, the click goes there.
const arriveIn = time.Second

// isSplit tells whether any frame of the tab has a process of its own.
func (t *Tab) isSplit() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.sessions {
		if s.tab == t && s.kind == "iframe" {
			return true
		}
	}
	return false
}

// left takes a tab that an act has closed for the end of that act.
func left(err error) error {
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Hover moves the mouse to a point.
func (t *Tab) Hover(ctx context.Context, x, y float64) error {
	return t.send(ctx, proto.InputDispatchMouseEvent{
		Type: proto.InputDispatchMouseEventTypeMouseMoved, X: x, Y: y, Modifiers: t.modifiers,
	})
}

// Key sends a key's event to what has the focus, and waits as Click does: a
// button that has it is pressed by the release of the space bar. The event's
// modifiers hold for the mouse too, until another key's.
func (t *Tab) Key(ctx context.Context, event *proto.InputDispatchKeyEvent) error {
	doc, err := t.document(ctx)
	if err != nil {
		return err
	}
	t.modifiers = event.Modifiers
	if err := t.send(ctx, *event); err != nil {
		return left(err)
	}
	return left(t.settle(ctx, doc))
}

// send dispatches input. When the page goes away under it the answer may not
// come, which is no failure of the input.
func (t *Tab) send(ctx context.Context, event request) error {
	t.calls.Add(1)
	ctx, cancel := t.bound(ctx, t.page.SessionID)
	defer cancel()
	err := event.Call(t.page.Context(ctx))
	if err == nil {
		return nil
	}
	if err := t.failed(ctx, err); !errors.Is(err, errGone) {
		return err
	}
	return nil
}

// settle lets the page react and then waits for the document that it began to
// load, if it did. The script's word comes in order with the events of the
// navigation, so that none can be overlooked.
func (t *Tab) settle(ctx context.Context, doc document) error {
	if t.touched != nil {
		// The frame's own process comes first. When it has gone, so much the better.
		if err := t.call(ctx, t.touched.document, "settle", t.nextID.Add(1), nil); err != nil && !errors.Is(err, errGone) {
			return err
		}
	}
	id := t.nextID.Add(1)
	err := t.call(ctx, doc, "settle", id, nil)
	if errors.Is(err, errGone) {
		t.gone(doc)
		return t.arrive(ctx)
	}
	if err != nil {
		return err
	}
	return t.settled(ctx, doc, id)
}

// settled waits for the script's word that an act is over, then as arrive.
func (t *Tab) settled(ctx context.Context, doc document, id int64) error {
	err := t.await(ctx, func(s *state) bool { return s.told["settled"] >= id || s.doc.serial > doc.serial })
	if err != nil {
		return err
	}
	return t.arrive(ctx)
}

// arrive waits until no navigation is under way and a document is there.
func (t *Tab) arrive(ctx context.Context) error {
	_, err := t.document(ctx)
	return err
}

// Viewport is the size of a window's content and the device that it is on. The
// zero value is the browser's own.
type Viewport struct {
	Width, Height            int
	Scale                    float64 // device pixels for each of CSS
	Mobile, Touch, Landscape bool
}

// Viewport sets the size of the window's content.
// One that is in force is left alone: setting it again would make the browser
// lay out and paint the page once more, which takes as long as a short flow.
func (t *Tab) Viewport(ctx context.Context, v Viewport) error {
	now, known := prepared.get(t.page.SessionID)
	if known && (v == now.viewport || v == Viewport{} && now.viewport == now.own) {
		return nil
	}
	var requests []request
	if v == (Viewport{}) {
		v = now.own
		requests = append(requests, proto.EmulationClearDeviceMetricsOverride{})
	} else {
		requests = append(requests, v.metrics())
	}
	if v.Touch != now.viewport.Touch {
		requests = append(requests, proto.EmulationSetTouchEmulationEnabled{Enabled: v.Touch})
	}
	if err := t.together(ctx, requests...); err != nil {
		return t.failed(ctx, err)
	}
	prepared.resize(t.page.SessionID, v)
	return nil
}

func (v Viewport) metrics() proto.EmulationSetDeviceMetricsOverride {
	m := proto.EmulationSetDeviceMetricsOverride{Width: v.Width, Height: v.Height, DeviceScaleFactor: v.Scale, Mobile: v.Mobile}
	switch {
	case v.Landscape:
		m.ScreenOrientation = &proto.EmulationScreenOrientation{Type: proto.EmulationScreenOrientationTypeLandscapePrimary, Angle: 90}
	case v.Mobile:
		m.ScreenOrientation = &proto.EmulationScreenOrientation{Type: proto.EmulationScreenOrientationTypePortraitPrimary}
	}
	return m
}

// Network emulates slow or absent network until Detach; rates are in bytes a
// second, -1 for no limit. As in DevTools, nothing at all means to be offline.
func (t *Tab) Network(ctx context.Context, conditions proto.NetworkEmulateNetworkConditions) error {
	conditions.Offline = conditions.DownloadThroughput == 0 && conditions.UploadThroughput == 0 && conditions.Latency == 0
	t.emulates = true
	var none int // of bodies to keep
	for _, r := range []request{proto.NetworkEnable{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none}, conditions} {
		if err := t.together(ctx, r); err != nil {
			return t.failed(ctx, err)
		}
	}
	return nil
}

// Blank leaves the site for an empty page, so that nothing of it goes on.
func (t *Tab) Blank(ctx context.Context) error {
	t.calls.Add(1)
	_, err := proto.PageNavigate{URL: "about:blank"}.Call(t.page.Context(ctx))
	if err != nil {
		return fmt.Errorf("leaving the site: %w", err)
	}
	return nil
}
