package browser_test

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/testenv"
)

// A context that was handed over is its clients' affair: the page that it began
// with may be closed, and others opened, and the lease goes on.
func TestAContextThatWasHandedOverOutlivesItsFirstPage(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{Single: true, Reserve: 1, MaxPages: 1, MaxPopups: 3})
	page := b.acquire("anna")
	b.visit(page, "/sign-in?who=anna")
	root, first := page.Rod().Browser(), page.Rod().TargetID
	if err := page.HandOver(b.ctx, ""); err != nil {
		t.Fatal(err)
	}
	state, err := page.State(b.ctx, []string{b.site.URL})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "anna") {
		t.Errorf("the state is %s", text)
	}
	if _, err := (proto.TargetCloseTarget{TargetID: first}).Call(root); err != nil {
		t.Fatal(err)
	}
	again, err := page.State(b.ctx, []string{b.site.URL})
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Cookies) != len(state.Cookies) || len(again.Origins) != len(state.Origins) {
		t.Errorf("without a page the state is %v, with one %v", again, state)
	}
	for range 4 {
		_, _ = proto.TargetCreateTarget{URL: "about:blank", BrowserContextID: root.BrowserContextID}.Call(root) // the last one is closed at once
	}
	eventually(t, "as many pages as there may be", func() bool {
		targets, err := proto.TargetGetTargets{}.Call(root)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, target := range targets.TargetInfos {
			if target.Type == "page" && target.BrowserContextID == root.BrowserContextID {
				n++
			}
		}
		return n == 3
	})
	if err := page.Err(); err != nil {
		t.Errorf("the lease has ended: %v", err)
	}
	page.Release(false)
}

// Chromium takes some keys for its own, even with no window to be seen: one opens
// a page in the default context, which no relay stands in front of.
func TestPagesThatChromiumOpensByItselfAreClosed(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"headless shell": testenv.Chromium(t), "whole Chromium": wholeChromium(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, browser.Config{Path: path, Single: true, Reserve: 1, MaxPages: 1, MaxPopups: 10})
			page := b.acquire("anna")
			defer page.Release(true)
			b.visit(page, "/blank.html")
			root, own := page.Rod().Browser().Context(b.ctx), page.ContextID()
			if err := page.HandOver(b.ctx, ""); err != nil {
				t.Fatal(err)
			}
			root.RemoveState(page.Rod().TargetID)
			client, err := root.PageFromTarget(page.Rod().TargetID)
			if err != nil {
				t.Fatal(err)
			}
			const ctrl = 2
			for _, key := range []string{"N", "T", "J", "H", "U"} {
				for _, kind := range []proto.InputDispatchKeyEventType{"rawKeyDown", "keyUp"} {
					event := proto.InputDispatchKeyEvent{Type: kind, Key: strings.ToLower(key), WindowsVirtualKeyCode: int(key[0]), Modifiers: ctrl}
					if err := event.Call(client); err != nil {
						t.Fatal(err)
					}
				}
			}
			if _, err := (proto.TargetCreateTarget{URL: "about:blank"}).Call(root); err != nil { // as if a key had
				t.Fatal(err)
			}
			eventually(t, "none but the account's page", func() bool {
				targets, err := proto.TargetGetTargets{}.Call(root)
				if err != nil {
					t.Fatal(err)
				}
				for _, target := range targets.TargetInfos {
					if target.Type == "page" && (target.BrowserContextID != own || strings.HasPrefix(target.URL, "chrome")) {
						return false
					}
				}
				return true
			})
			if err := page.Err(); err != nil {
				t.Errorf("the lease has ended: %v", err)
			}
		})
	}
}

func TestASinglePoolMakesNothingForASecondLease(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{Single: true, Reserve: 1})
	page := b.acquire("anna")
	before := len(processes(t, b.dir))
	for _, pid := range processes(t, b.dir) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	eventually(t, "the end of the lease", func() bool { return page.Err() != nil })
	eventually(t, "no process", func() bool { return len(processes(t, b.dir)) == 0 })
	if before == 0 {
		t.Error("there was none before")
	}
	page.Release(false)
	next := b.acquire("anna") // Chromium is started again once somebody may need it
	next.Release(true)
}
