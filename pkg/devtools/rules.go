package devtools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// rule is what becomes of a method's commands.
type rule struct {
	word  string // for the table of all methods
	judge judge
}

// judge looks at a command, and may change it. It goes on to Chromium unless
// there is an answer already, or an error, which the client is told.
type judge func(ctx context.Context, c *client, cmd *command) (answer json.RawMessage, err error)

// fields are a command's parameters, or an object in them, by name.
type fields map[string]json.RawMessage

var empty = json.RawMessage(`{}`)

func pass(context.Context, *client, *command) (json.RawMessage, error) { return nil, nil }

// answered is for commands that get an answer without being carried out.
func answered(result json.RawMessage) rule {
	return rule{word: "answered", judge: func(context.Context, *client, *command) (json.RawMessage, error) { return result, nil }}
}

// refused is for commands whose refusal needs a word of explanation.
func refused(why string) rule {
	return rule{word: "refused", judge: func(context.Context, *client, *command) (json.RawMessage, error) {
		return nil, refusal("%s", why)
	}}
}

// checked passes a command on with the parameters that check leaves.
func checked(check func(ctx context.Context, c *client, params fields) error) rule {
	return rule{word: "checked", judge: func(ctx context.Context, c *client, cmd *command) (json.RawMessage, error) {
		params := fields{}
		if err := cmd.decode(&params); err != nil {
			return nil, err
		}
		if err := check(ctx, c, params); err != nil {
			return nil, err
		}
		return nil, cmd.encode(params)
	}}
}

// then has a command's result looked at before the client gets it.
func (r rule) then(after func(c *client, result json.RawMessage) (json.RawMessage, error)) rule {
	return rule{word: r.word, judge: func(ctx context.Context, c *client, cmd *command) (json.RawMessage, error) {
		cmd.after = after
		return r.judge(ctx, c, cmd)
	}}
}

// byBrowser has a command carried out at the browser's level wherever it comes
// from: at a page's, Chromium takes the default context to be meant.
func (r rule) byBrowser() rule {
	return rule{word: r.word, judge: func(ctx context.Context, c *client, cmd *command) (json.RawMessage, error) {
		cmd.byBrowser = true
		return r.judge(ctx, c, cmd)
	}}
}

// browserRules are for the domains that both levels have.
var browserRules = rules{
	"Browser.close":               rule{word: "answered", judge: closeSession},
	"Browser.setDownloadBehavior": answered(empty), // downloads stay denied; a client's own setting would end with it, and leave the default
	"Browser.cancelDownload":      answered(empty),
	"Browser.grantPermissions":    checked(grantPermissions).byBrowser(),
	"Browser.setPermission":       checked(setPermission).byBrowser(),
	"Browser.resetPermissions":    checked(inContext).byBrowser(),
	"Browser.getWindowForTarget":  checked(ofOwnTarget).then(noteWindow),
	"Browser.getWindowBounds":     checked(ofOwnWindow),
	"Browser.setWindowBounds":     checked(ofOwnWindow),
	"Browser.setContentsSize":     checked(ofOwnWindow),
	"Storage.getCookies":          checked(inContext).byBrowser(),
	"Storage.setCookies":          checked(inContext).byBrowser(),
	"Storage.clearCookies":        checked(inContext).byBrowser(),
	"IO.read":                     checked(ofOwnStream),
	"IO.close":                    checked(ofOwnStream),

	"Security.setIgnoreCertificateErrors": rule{word: "answered", judge: keepCertificateErrors},
}

// pageRules are for pages, frames and workers.
var pageRules = rules{
	"Page.navigate":                  checked(toAllowedURL),
	"Page.setDownloadBehavior":       answered(empty),
	"Page.printToPDF":                checked(asIs).then(noteStream),
	"Fetch.continueRequest":          checked(toWebURL),
	"Fetch.takeResponseBodyAsStream": checked(asIs).then(noteStream),
	"Input.dispatchDragEvent":        checked(withoutFiles),
	"DOM.setFileInputFiles":          refused("a session has no files: set the input's files from within the page, with a DataTransfer"),
}

func closeSession(_ context.Context, c *client, _ *command) (json.RawMessage, error) {
	c.asksToClose = true
	return empty, nil
}

// keepCertificateErrors refuses to ignore certificate errors. Clients of WebDriver
// BiDi say at each page that they are not to be ignored.
func keepCertificateErrors(_ context.Context, _ *client, cmd *command) (json.RawMessage, error) {
	params := fields{}
	if err := cmd.decode(&params); err != nil {
		return nil, err
	}
	ignore, err := params.flag("ignore")
	if err == nil && ignore {
		err = refusal("certificate errors cannot be ignored in a session")
	}
	return empty, err
}

func asIs(context.Context, *client, fields) error { return nil }

// inContext makes a command one about the account's context.
func inContext(_ context.Context, c *client, params fields) error {
	named, err := params.text("browserContextId")
	if err != nil {
		return err
	}
	if named != "" && named != string(c.contextID) {
		return refusal("there is no such browser context here")
	}
	return params.set("browserContextId", c.contextID)
}

// permissions are those that pages can be granted: none that opens a device or
// the screen of the machine that Chromium runs on.
var permissions = []string{
	"backgroundSync", "clipboardReadWrite", "clipboardSanitizedWrite", "durableStorage", "geolocation", "idleDetection", "notifications",
	"paymentHandler", "periodicBackgroundSync", "protectedMediaIdentifier", "sensors", "storageAccess", "topLevelStorageAccess", "wakeLockScreen",
}

func grantPermissions(ctx context.Context, c *client, params fields) error {
	var wanted []string
	if err := params.decode("permissions", &wanted); err != nil {
		return err
	}
	for _, permission := range wanted {
		if !slices.Contains(permissions, permission) {
			return refusal("the permission %q is not given in a session", permission)
		}
	}
	return inContext(ctx, c, params)
}

// descriptors are the permissions by the names that pages have for them.
var descriptors = []string{
	"background-sync", "clipboard-read", "clipboard-write", "persistent-storage", "geolocation", "idle-detection", "notifications",
	"payment-handler", "periodic-background-sync", "accelerometer", "gyroscope", "magnetometer", "ambient-light-sensor",
	"storage-access", "top-level-storage-access", "screen-wake-lock",
}

func setPermission(ctx context.Context, c *client, params fields) error {
	permission := fields{}
	if err := params.decode("permission", &permission); err != nil {
		return err
	}
	name, err := permission.text("name")
	if err != nil {
		return err
	}
	if !slices.Contains(descriptors, name) {
		return refusal("the permission %q is not given in a session", name)
	}
	if err := params.set("permission", permission); err != nil {
		return err
	}
	return inContext(ctx, c, params)
}

func ofOwnWindow(_ context.Context, c *client, params fields) error {
	var window int64
	if err := params.decode("windowId", &window); err != nil {
		return err
	}
	if !c.windows.has(window) {
		return refusal("there is no such window here: ask for it with Browser.getWindowForTarget")
	}
	return params.set("windowId", window)
}

func noteWindow(c *client, result json.RawMessage) (json.RawMessage, error) {
	var got struct {
		WindowID int64 `json:"windowId"`
	}
	if err := json.Unmarshal(result, &got); err != nil {
		return nil, err
	}
	return result, c.windows.add(got.WindowID)
}

func ofOwnStream(_ context.Context, c *client, params fields) error {
	handle, err := params.text("handle")
	if err != nil {
		return err
	}
	if !c.streams.has(handle) {
		return refusal("there is no such stream here")
	}
	return params.set("handle", handle)
}

func noteStream(c *client, result json.RawMessage) (json.RawMessage, error) {
	var got struct {
		Stream string `json:"stream"`
	}
	if err := json.Unmarshal(result, &got); err != nil {
		return nil, err
	}
	if got.Stream == "" {
		return result, nil
	}
	return result, c.streams.add(got.Stream)
}

func toAllowedURL(_ context.Context, _ *client, params fields) error {
	return params.checkURL("url", "http:", "https:", "data:", "blob:")
}

// toWebURL is for where a paused request goes on to; none is where it was going.
func toWebURL(_ context.Context, _ *client, params fields) error {
	if _, given := params["url"]; !given {
		return nil
	}
	return params.checkURL("url", "http:", "https:")
}

// withoutFiles refuses what is dragged in from the host's files.
func withoutFiles(_ context.Context, _ *client, params fields) error {
	data := fields{}
	if err := params.decode("data", &data); err != nil {
		return err
	}
	if files, given := data["files"]; given && string(files) != "[]" && string(files) != "null" {
		return refusal("a session has no files to drag")
	}
	return params.set("data", data)
}

// checkURL takes an address of one of the schemes, or a blank page's. The scheme
// is the first thing there, in plain letters: that leaves nothing to Chromium's
// way of mending addresses.
func (f fields) checkURL(name string, schemes ...string) error {
	url, err := f.text(name)
	if err != nil {
		return err
	}
	lower := strings.ToLower(url)
	blank := lower == "" || lower == "about:blank" || strings.HasPrefix(lower, "about:blank#") || strings.HasPrefix(lower, "about:blank?")
	if !blank && !slices.ContainsFunc(schemes, func(scheme string) bool { return strings.HasPrefix(lower, scheme) }) {
		return refusal("this address cannot be opened in a session: it must begin with %s", strings.Join(schemes, ", "))
	}
	return f.set(name, url)
}

// decode reads a parameter. One that is missing, or null, is left as it is.
func (f fields) decode(name string, into any) error {
	if len(f[name]) == 0 {
		return nil
	}
	if err := json.Unmarshal(f[name], into); err != nil {
		return invalid(fmt.Sprintf("%s is of another type", name))
	}
	return nil
}

func (f fields) text(name string) (text string, err error) {
	return text, f.decode(name, &text)
}

func (f fields) flag(name string) (is bool, err error) {
	return is, f.decode(name, &is)
}

// set writes a parameter as what was understood of it.
func (f fields) set(name string, value any) error {
	text, err := json.Marshal(value)
	f[name] = text
	return err
}

// keep leaves out all parameters but these.
func (f fields) keep(names ...string) {
	for name := range f {
		if !slices.Contains(names, name) {
			delete(f, name)
		}
	}
}
