package e2e_test

import (
	"context"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
	"github.com/coder/websocket"
	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/marketplace/sandbox"
)

// session opens a session, which must be signed in.
func (g *gateway) session(who tokens) contracts.Session {
	g.Helper()
	opened := result[contracts.Session](g, g.send(http.MethodPost, marketplace.CreateSession.Path, who, nil))
	if opened.Status != contracts.StatusOK || opened.PostSignInURL != g.env.SandboxURLs["marketplace"]+"/account" {
		g.Fatalf("status %s, at %s", opened.Status, opened.PostSignInURL)
	}
	return opened
}

// sessionID is the id in a session's addresses.
func sessionID(s contracts.Session) string {
	_, rest, _ := strings.Cut(s.WSURL, sessions.Path(""))
	id, _, _ := strings.Cut(rest, "/")
	return id
}

func (g *gateway) stop(who tokens, s contracts.Session) audit.Session {
	g.Helper()
	return result[audit.Session](g, g.send(http.MethodDelete, sessions.Path(sessionID(s)), tokens{access: who.access}, nil))
}

// patient bounds what a test waits for in a browser on a busy machine.
func (g *gateway) patient() context.Context {
	ctx, cancel := context.WithTimeout(g.Context(), 2*time.Minute)
	g.Cleanup(cancel)
	return ctx
}

func TestSessionIsDrivenByChromedp(t *testing.T) {
	g := share(t)
	item := g.item("coffee")
	opened := g.session(g.demonstration())
	allocator, cancel := remote.NewAllocator(g.patient(), opened.WSURL)
	defer cancel()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()

	err := chromedp.Do(ctx,
		chromedp.Navigate(opened.PostSignInURL), chromedp.WaitVisible(chromedp.CSS("#account")),
		chromedp.Navigate(item.ItemURL), chromedp.Click(chromedp.CSS("#buy-now-button")),
	)
	if err != nil {
		t.Fatal(err)
	}
	placed, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS(".order-number")))
	if err != nil {
		t.Fatal(err)
	}
	if orders := g.state().Orders; len(orders) != 1 || orders[0].ID != strings.TrimSpace(placed) || orders[0].Lines[0].ASIN != item.ASIN {
		t.Errorf("the page says %q, the shop has %+v", placed, orders)
	}
	if closed := g.stop(g.demonstration(), opened); closed.State != "closed" || closed.Reason != event.SessionReleased || closed.Attached != 1 {
		t.Errorf("%+v", closed)
	}
	again := g.send(http.MethodGet, marketplace.BuyAgain.Path, g.demonstration(), nil)
	if again.status != http.StatusOK || !strings.Contains(string(again.body), item.ASIN) {
		t.Errorf("%d %s", again.status, again.body)
	}
	if signIns := g.state().SignIns; signIns != 1 {
		t.Errorf("the shop saw %d sign-ins: the operation did not go on from the session", signIns)
	}
	g.expectStory(sessionID(opened), event.TypeSessionOpened, event.TypeSessionAttached, event.TypeSessionDetached, event.TypeSessionClosed)
}

// expectStory checks the types of the events of a session.
func (g *gateway) expectStory(id string, want ...string) {
	g.Helper()
	events := g.stream(event.SessionStream(id))
	var got []string
	for _, e := range events {
		got = append(got, e.Type)
	}
	if !slices.Equal(got, want) {
		g.Errorf("events %v, want %v", got, want)
	}
	if err := event.VerifyStream(events); err != nil {
		g.Error(err)
	}
}

// In the session the user signs out and in again, by hand: the cookies that the
// gateway had are dead then.
func TestWhatASessionChangesIsKeptForTheAccount(t *testing.T) {
	g := share(t)
	who := g.link(sandbox.Amir.Username, sandbox.Amir.Password)
	result[marketplace.BuyAgainList](g, g.send(http.MethodGet, marketplace.BuyAgain.Path, who, nil)) // warm, and signed in
	opened := g.session(who)
	b := rod.New().Context(g.patient()).ControlURL(opened.WSURL)
	err := rod.Try(func() {
		b.MustConnect()
		page := b.MustPages().First()
		if address := page.MustInfo().URL; address != opened.PostSignInURL {
			t.Errorf("the first page is at %s", address)
		}
		page.MustEval("() => document.querySelector('form[action=\"/sign-out\"]').requestSubmit()")
		page.MustElement("#sign-in-link")
		page.MustNavigate(g.env.SandboxURLs["marketplace"] + "/sign-in?return=/account")
		page.MustElement("#email").MustInput(sandbox.Amir.Username)
		page.MustElement("#password").MustInput(sandbox.Amir.Password)
		page.MustElement("#sign-in-button").MustClick()
		if name := page.MustElement("#account .muted").MustText(); !strings.Contains(name, sandbox.Amir.Username) {
			t.Errorf("signed in as %s", name)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	g.stop(who, opened)
	result[marketplace.BuyAgainList](g, g.send(http.MethodGet, marketplace.BuyAgain.Path, who, nil))
	if signIns := g.state().SignIns; signIns != 2 {
		t.Errorf("the shop saw %d sign-ins, want the first and the one by hand", signIns)
	}
}

func TestRevokedTokenAndUnlinkingCutSessions(t *testing.T) {
	g := share(t)
	admin := tokens{access: g.env.AdminToken}
	route := "/admin/v1/callers/" + g.callerID() + "/tokens"
	issued := result[accounts.IssuedToken](g, g.send(http.MethodPost, route, admin, map[string]string{"label": "short-lived"}))
	jane := tokens{issued.AccessToken, g.env.AccountTokens["marketplace"]}
	amir := g.link(sandbox.Amir.Username, sandbox.Amir.Password)
	linked := result[accounts.Accounts](g, g.admin(accounts.ListAccounts.Path+"?callerId="+g.callerID())).Accounts

	for reason, end := range map[string]struct {
		who tokens
		by  string // a DELETE of the operator's
	}{
		event.SessionRevoked:  {jane, path.Join(route, issued.TokenID)},
		event.SessionUnlinked: {amir, path.Join("/admin/v1/accounts", linked[len(linked)-1].AccountID)},
	} {
		opened := g.session(end.who)
		client, _, err := websocket.Dial(g.patient(), opened.WSURL, nil) //nolint:bodyclose // the library's
		if err != nil {
			t.Fatal(err)
		}
		if r := g.send(http.MethodDelete, end.by, admin, nil); r.status != http.StatusOK {
			t.Fatalf("%d %s", r.status, r.body)
		}
		_, _, err = client.Read(g.patient())
		if websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Errorf("%s: the client is told %v", reason, err)
		}
		if _, r, err := websocket.Dial(g.patient(), opened.WSURL, nil); err == nil || r == nil || r.StatusCode != http.StatusNotFound { //nolint:bodyclose // the library's
			t.Errorf("%s: the address still works: %v", reason, err)
		}
		// Its end is recorded right after its clients are cut off.
		if closed := g.stop(admin, opened); closed.Reason != reason {
			t.Errorf("closed as %s, want %s", closed.Reason, reason)
		}
	}
}

// A person opens the live page through the gateway and ends the session there.
func TestLivePageShowsTheSession(t *testing.T) {
	g := share(t)
	opened := g.session(g.demonstration())
	l := launcher.New().Bin(testenv.Chromium(t)).NoSandbox(true).Leakless(false).Headless(true).Context(g.patient())
	defer l.Cleanup()
	defer l.Kill()
	err := rod.Try(func() {
		b := rod.New().Context(g.patient()).ControlURL(l.MustLaunch()).MustConnect()
		defer b.MustClose()
		page := b.MustPage(opened.DebuggerFullscreenURL)
		page.MustElementR("[role=tab]", "account")
		page.MustWait(`() => { const c = document.querySelector("canvas"); return c && c.width > 100 }`)
	})
	if err != nil {
		t.Fatal(err)
	}
	g.stop(g.demonstration(), opened)
}
