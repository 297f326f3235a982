package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"
	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/browser"
)

const storedHere = `[document.cookie, localStorage.getItem("who"), sessionStorage.getItem("who")]`

func TestAccountsSeeNothingOfOneAnother(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	anna, bert := b.acquire("anna"), b.acquire("bert")
	defer anna.Release(true)
	defer bert.Release(true)

	b.visit(anna, "/sign-in?who=anna")
	if got := text(t, b.visit(bert, "/cookies"), storedHere); got != ",," {
		t.Errorf("bert finds %q", got)
	}
	b.visit(bert, "/sign-in?who=bert")
	page := b.visit(anna, "/cookies")
	if got := text(t, page, storedHere); got != "lasting=yes,anna,anna" {
		t.Errorf("anna finds %q", got)
	}
	if got := text(t, page, "document.body.innerText"); !strings.Contains(got, "session=anna") {
		t.Errorf("anna's request brought %q", got)
	}
}

func TestPagesOfOneAccountShareItsSignInAndWorkSideBySide(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	one := b.acquire("anna")
	defer one.Release(true)
	b.visit(one, "/sign-in?who=anna")
	if !one.Proven().IsZero() {
		t.Error("proven before it was")
	}
	now := time.Now()
	one.SetProven(now)

	two := b.acquire("anna")
	defer two.Release(true)
	if got := text(t, b.visit(two, "/cookies"), "document.body.innerText"); !strings.Contains(got, "session=anna") {
		t.Errorf("the second page brought %q", got)
	}
	if !two.Proven().Equal(now) {
		t.Errorf("the second page was proven %v", two.Proven())
	}
}

func TestStateMovesTheSignInToAnotherPool(t *testing.T) {
	t.Parallel()
	first, other := setup(t, browser.Config{}), newSite(t)
	first.origins = []string{other.URL}
	page := first.acquire("anna")
	first.visit(page, "/sign-in?who=anna")
	visit(t, page, other.URL+"/stores-what-the-query-says.html?who=elsewhere")
	first.visit(page, "/cookies")

	state, err := page.State(first.ctx, []string{first.site.URL, other.URL})
	if err != nil {
		t.Fatal(err)
	}
	if url := text(t, page.Rod(), "location.pathname"); url != "/cookies" {
		t.Errorf("State left the page at %s", url)
	}
	page.Release(true)
	sealed, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := browser.DecodeState(sealed)
	if err != nil {
		t.Fatal(err)
	}

	second := setup(t, browser.Config{})
	second.origins = []string{first.site.URL, other.URL}
	restored := second.acquireWith("anna", opened)
	defer restored.Release(true)
	again, err := restored.State(second.ctx, []string{first.site.URL, other.URL})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(state, again); diff != "" {
		t.Errorf("the restored state differs (-saved +restored):\n%s", diff)
	}
	shown := visit(t, restored, first.site.URL+"/cookies")
	if got := text(t, shown, "document.body.innerText"); got != "lasting=yes; session=anna" {
		t.Errorf("the restored page's request brought %q", got)
	}
	if got := text(t, shown, storedHere); got != "lasting=yes,anna,anna" {
		t.Errorf("the restored page finds %q", got)
	}

	// Session storage belongs to a page: a further one starts with it too.
	further := second.acquire("anna")
	defer further.Release(true)
	if got := text(t, visit(t, further, other.URL+"/blank.html"), storedHere); got != ",elsewhere,elsewhere" {
		t.Errorf("a further page finds %q", got)
	}
}

func TestStateIsExactWhateverThePageHasPatched(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	defer page.Release(true)
	b.visit(page, "/patches-storage.html")
	other := newSite(t)
	state, err := page.State(b.ctx, []string{b.site.URL, other.URL})
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Origins) != 1 {
		t.Fatalf("storage of %d origins", len(state.Origins))
	}
	if got := string(state.Origins[0].LocalStorage); got != `[["real","\ud800 lone surrogate"]]` {
		t.Errorf("local storage: %s", got)
	}
	if got := string(state.Origins[0].SessionStorage); got != `[["length","a key like any other"]]` {
		t.Errorf("session storage: %s", got)
	}

	next := b.acquireWith("bert", state)
	defer next.Release(true)
	if got := text(t, b.visit(next, "/blank.html"), `localStorage.getItem("real").charCodeAt(0)`); got != "55296" {
		t.Errorf("restored character: %s", got)
	}
}

func TestAReleasedPageIsKeptWarmAndClean(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{MaxPages: 1})
	page := b.acquire("anna")
	shown := b.visit(page, "/does-not-want-to-be-left.html")
	target := shown.TargetID
	if err := shown.MustElement("#touch").Click(proto.InputMouseButtonLeft, 1); err != nil {
		t.Fatal(err)
	}
	shown.MustSetViewport(300, 200, 1, false)
	shown.MustEvalOnNewDocument(`window.left = "behind"`)
	if err := (proto.FetchEnable{}).Call(shown); err != nil {
		t.Fatal(err)
	}
	page.Release(true)
	if err := ended(t, page); !errors.Is(err, browser.ErrReleased) {
		t.Errorf("the lease ended with %v", err)
	}
	page.Release(false) // does nothing

	next := b.acquire("anna")
	defer next.Release(true)
	if next.Rod().TargetID != target {
		t.Error("the page was not kept")
	}
	if got := text(t, next.Rod(), "location.href"); got != "about:blank" {
		t.Errorf("it shows %s, which may ask whether it may be left", got)
	}
	clean := b.visit(next, "/blank.html")
	if got := text(t, clean, "[typeof window.left, history.length]"); got != "undefined,2" {
		t.Errorf("it is not clean: %s", got)
	}
	// The renderer hears of the size in its own time.
	eventually(t, "its own size", func() bool { return text(t, clean, "innerWidth != 300") == "true" })
}

func TestAReleasedPageDoesNotGoOnForLong(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	b.visit(page, "/blank.html")
	chromium := page.Rod().Browser().Context(b.ctx)
	page.Release(true)
	eventually(t, "a blank page", func() bool {
		target, err := proto.TargetGetTargetInfo{TargetID: page.Rod().TargetID}.Call(chromium)
		if err != nil {
			t.Fatal(err)
		}
		return target.TargetInfo.URL == "about:blank"
	})
	next := b.acquire("anna")
	defer next.Release(true)
	if next.Rod().TargetID != page.Rod().TargetID {
		t.Error("the page was not kept")
	}
	b.visit(next, "/blank.html")
}

func TestAnUnhealthyPageIsClosedAndItsContextKept(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{MaxPages: 1})
	page := b.acquire("anna")
	b.visit(page, "/sign-in?who=anna")
	target := page.Rod().TargetID
	page.Release(false)
	next := b.acquire("anna")
	defer next.Release(true)
	if next.Rod().TargetID == target {
		t.Error("the page was kept")
	}
	if got := text(t, b.visit(next, "/cookies"), "document.cookie"); got != "lasting=yes" {
		t.Errorf("its context has %q", got)
	}
}

func TestForgetDropsTheContext(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	b.visit(page, "/sign-in?who=anna")
	page.SetProven(time.Now())
	b.pool.Forget("anna")
	b.pool.Forget("nobody")
	if page.Err() != nil {
		t.Error("Forget ended a lease")
	}
	next := b.acquire("anna")
	defer next.Release(true)
	page.Release(true)
	if got := text(t, b.visit(next, "/cookies"), storedHere); got != ",," || !next.Proven().IsZero() {
		t.Errorf("the next context has %q", got)
	}
}

func TestWindowsThatAPageOpensAreItsOwnAndBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{MaxPopups: 3})
	page := b.acquire("anna")
	shown := b.visit(page, "/opens-windows.html")
	shown.MustElement("#plain").MustClick()
	shown.MustEval("() => openMany(5)")
	var open int
	eventually(t, "three windows", func() bool {
		popups, err := page.Popups()
		if err != nil {
			t.Fatal(err)
		}
		open = len(popups)
		return open == 3
	})
	popups, err := page.Popups()
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "a window that works", func() bool {
		return text(t, popups[2].Timeout(patience), "location.pathname") == "/blank.html"
	})
	if err := popups[0].Timeout(patience).Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "two windows", func() bool {
		left, err := page.Popups()
		return err == nil && len(left) == 2
	})
	browserWide := page.Rod().Browser()
	page.Release(true)
	next := b.acquire("anna")
	defer next.Release(true)
	eventually(t, "all windows closed", func() bool {
		targets, err := proto.TargetGetTargets{}.Call(browserWide.Context(context.Background()))
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range targets.TargetInfos {
			if strings.Contains(target.URL, "blank.html") {
				return false
			}
		}
		return true
	})
}

func TestDownloadsAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	defer page.Release(true)
	shown := b.visit(page, "/downloads-a-file.html")
	var progress proto.PageDownloadProgress
	wait := shown.EachEvent(func(e *proto.PageDownloadProgress) bool {
		progress = *e
		return e.State != proto.PageDownloadProgressStateInProgress
	})
	shown.MustElement("#file").MustClick()
	wait()
	if progress.State != proto.PageDownloadProgressStateCanceled {
		t.Errorf("the download is %q", progress.State)
	}
}

func TestWhatIsKnownOfASignInCountsForItsSiteAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	lease := func(site string) *browser.Page {
		page, err := b.pool.Acquire(b.ctx, browser.Tenant{Account: "anna", Site: site})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { page.Release(true) })
		return page
	}
	one, two := lease("one"), lease("two")
	now := time.Now()
	one.SetRemembered(map[string]any{"token": "secret"})
	one.SetProven(now)
	if two.Remembered() != nil || !two.Proven().IsZero() {
		t.Error("another site's page knows of it")
	}
	if again := lease("one"); again.Remembered()["token"] != "secret" || !again.Proven().Equal(now) {
		t.Error("a further page of the site does not know of it")
	}
	two.SetProven(now)
	if two.Remembered() != nil || one.Remembered() != nil || !one.Proven().IsZero() {
		t.Error("what is known of the two is mixed")
	}
}

// A context is as old as the state that it was made from, and so is what is
// stored of it. A lease that can use only a newer one gets a fresh context.
func TestContextOfAnOlderGenerationIsDropped(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	for _, c := range []struct {
		needs, stored, want int64 // generations
		warm                bool
	}{
		{needs: 0, stored: 0, want: 0},
		{needs: 0, stored: 1, want: 0, warm: true},
		{needs: 2, stored: 3, want: 3},
		{needs: 3, stored: 9, want: 3, warm: true},
		{needs: 0, stored: 9, want: 3, warm: true}, // a read does not ask
		{needs: 4, stored: 4, want: 4},
	} {
		tenant := b.tenant("anna")
		tenant.Generation = c.needs
		tenant.Restore = func(context.Context) (*browser.State, error) { return &browser.State{Generation: c.stored}, nil }
		page, err := b.pool.Acquire(b.ctx, tenant)
		if err != nil {
			t.Fatal(err)
		}
		if warm := !page.Proven().IsZero(); warm != c.warm {
			t.Errorf("%+v: warm %t", c, warm)
		}
		page.SetProven(time.Now())
		if state, err := page.State(b.ctx, nil); err != nil || state.Generation != c.want {
			t.Errorf("%+v: %+v, %v", c, state, err)
		}
		page.Release(true)
	}
}
