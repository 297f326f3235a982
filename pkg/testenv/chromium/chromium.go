// Package chromium gives tests contexts in a Chromium that the tests of their package share. It is a plain one, without what
// pkg/browser adds: for the tests of what that is built of, and for people who look on.
package chromium

import (
	"context"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"

	"integration.gateway/pkg/testenv"
)

// Chromium is shared by the tests of a package: the first one starts it, and it ends after the last one. The package's TestMain calls
// testenv.Main.
type Chromium struct {
	// Adjust, if given, changes how it is launched.
	Adjust func(*launcher.Launcher)

	shared testenv.Shared[*rod.Browser]
}

// Context opens an isolated context for a test, and closes it at the test's end.
func (c *Chromium) Context(t testing.TB) *rod.Browser {
	t.Helper()
	isolated := c.shared.Get(t, func() (*rod.Browser, func() error) { return c.start(t) }).MustIncognito()
	t.Cleanup(func() { _ = isolated.Close() })
	return isolated
}

func (c *Chromium) start(t testing.TB) (browser *rod.Browser, end func() error) {
	t.Helper()
	l := launcher.New().Bin(testenv.Chromium(t)).NoSandbox(true).Leakless(false).Headless(true).
		Append("disable-features", "SpareRendererForSitePerProcess") // see pkg/browser
	if c.Adjust != nil {
		c.Adjust(l)
	}
	ctx, cancel := context.WithCancel(context.Background())
	browser = rod.New().Context(ctx).ControlURL(l.MustLaunch()).NoDefaultDevice().MustConnect()
	return browser, func() error {
		err := browser.Close()
		cancel()
		l.Cleanup()
		return err
	}
}
