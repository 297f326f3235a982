package devtools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

const (
	onlyFlat   = "attach with flatten: true"
	noTarget   = "No target with given id found" // as Chromium says it
	oneContext = "the browser is one user's: use its default browser context"
)

// targetRules are for the domain that tells of targets and attaches to them,
// which both levels have.
var targetRules = rules{
	"Target.activateTarget":        checked(ofOwnTarget),
	"Target.attachToTarget":        checked(attachToTarget),
	"Target.attachToBrowserTarget": rule{word: "allowed", judge: pass},
	"Target.autoAttachRelated":     checked(ofOwnTarget),
	"Target.closeTarget":           checked(ofOwnTarget),
	"Target.createBrowserContext":  refused(oneContext),
	"Target.createTarget":          checked(createTarget),
	"Target.detachFromTarget":      checked(detachFromTarget),
	"Target.disposeBrowserContext": refused(oneContext),
	"Target.getBrowserContexts":    rule{word: "answered", judge: browserContexts},
	"Target.getTargetInfo":         checked(ofOwnTarget),
	"Target.getTargets":            checked(asIs).then(ownTargets),
	"Target.setAutoAttach":         checked(setAutoAttach),
	"Target.setDiscoverTargets":    rule{word: "allowed", judge: pass},
}

// viewRules are for a client that looks, at the browser's level.
var viewRules = rules{
	"Target.attachToTarget":   checked(attachToTarget),
	"Target.detachFromTarget": checked(detachFromTarget),
	"Target.getTargets":       checked(asIs).then(ownTargets),
}

// viewPageRules are for a client that looks, at a page's level. Page.enable would
// have the page's dialogs wait for somebody who can answer them.
var viewPageRules = rules{
	"Page.enable": answered(empty),
}

// targetInfo is what of a target decides whether it is the client's.
type targetInfo struct {
	TargetID         proto.TargetTargetID          `json:"targetId"`
	Type             string                        `json:"type"`
	URL              string                        `json:"url"`
	BrowserContextID proto.BrowserBrowserContextID `json:"browserContextId"`
}

// kinds are the types of targets that clients have to do with.
var kinds = []string{"page", "tab", "iframe", "worker", "shared_worker", "service_worker", "worklet", "auction_worklet", "shared_storage_worklet"}

// own tells whether a target is the client's: of the account's context, and not
// a part of Chromium, such as its viewer of PDF files.
func (c *client) own(info targetInfo) bool {
	if info.Type == "browser" {
		return !c.viewer && c.browsers.has(info.TargetID)
	}
	if c.viewer && info.Type != "page" {
		return false
	}
	return info.BrowserContextID == c.contextID && slices.Contains(kinds, info.Type) && isContent(info.URL)
}

// isContent is for the addresses of what sites show. A target has none at first.
func isContent(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	return url == "" || slices.Contains([]string{"http", "https", "about", "data", "blob", "chrome-error"}, strings.ToLower(scheme))
}

// ofOwnTarget is for commands about a target; none named is the session's own.
func ofOwnTarget(ctx context.Context, c *client, params fields) error {
	id, err := params.text("targetId")
	if err != nil {
		return err
	}
	if _, given := params["targetId"]; !given {
		return nil
	}
	if id == "" { // Chromium would tell of itself
		return invalid(noTarget)
	}
	if err := params.set("targetId", id); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	info, err := c.channel.Target(ctx, proto.TargetTargetID(id))
	if err != nil || !c.own(targetInfo{info.TargetID, string(info.Type), info.URL, info.BrowserContextID}) {
		return invalid(noTarget)
	}
	return nil
}

func attachToTarget(ctx context.Context, c *client, params fields) error {
	flat, err := params.flag("flatten")
	if err != nil {
		return err
	}
	if !flat {
		return refusal(onlyFlat)
	}
	params.keep("targetId", "flatten")
	return ofOwnTarget(ctx, c, params)
}

// setAutoAttach attaches to targets of other contexts too: see attached.
func setAutoAttach(_ context.Context, _ *client, params fields) error {
	auto, err := params.flag("autoAttach")
	if err != nil {
		return err
	}
	flat, err := params.flag("flatten")
	if err != nil {
		return err
	}
	if auto && !flat {
		return refusal(onlyFlat)
	}
	return params.set("flatten", true)
}

func createTarget(ctx context.Context, c *client, params fields) error {
	params.keep("url", "left", "top", "width", "height", "windowState", "newWindow", "background", "forTab", "focus", "browserContextId")
	if url, err := params.text("url"); err != nil || url == "" {
		return errors.Join(err, params.set("url", "about:blank"), inContext(ctx, c, params))
	}
	if err := toAllowedURL(ctx, c, params); err != nil {
		return err
	}
	return inContext(ctx, c, params)
}

// detachFromTarget takes sessions of this client; Chromium would take a target's
// id too, and detach somebody.
func detachFromTarget(_ context.Context, c *client, params fields) error {
	session, err := params.text("sessionId")
	if err != nil {
		return err
	}
	params.keep("sessionId")
	if session == "" || c.channel.TargetType(session) == "" {
		return invalid("No session with given id")
	}
	return params.set("sessionId", session)
}

// browserContexts tells of no context besides the default one, whose part the
// account's plays.
func browserContexts(_ context.Context, c *client, _ *command) (json.RawMessage, error) {
	return json.Marshal(map[string]any{"browserContextIds": []string{}, "defaultBrowserContextId": c.contextID})
}

// ownTargets leaves out the others of Target.getTargets.
func ownTargets(c *client, result json.RawMessage) (json.RawMessage, error) {
	var all struct {
		TargetInfos []json.RawMessage `json:"targetInfos"`
	}
	if err := json.Unmarshal(result, &all); err != nil {
		return nil, err
	}
	own := []json.RawMessage{}
	for _, text := range all.TargetInfos {
		var info targetInfo
		if err := json.Unmarshal(text, &info); err != nil {
			return nil, err
		}
		if c.own(info) {
			own = append(own, text)
		}
	}
	return json.Marshal(map[string]any{"targetInfos": own})
}
