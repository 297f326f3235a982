package e2e_test

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/coder/websocket"
	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/applications"
)

// checkSession connects to the browser that create-session has handed over for
// the demonstration user, and finds it signed in at the application. Then it
// gives the session back, and finds its address gone.
func checkSession(g *gateway, r response) {
	g.Helper()
	at := slices.IndexFunc(applications.All, func(a applications.Application) bool { return a.Name == g.about() })
	checkSessionOf(g, r, applications.All[at].User)
}

func checkSessionOf(g *gateway, r response, user kit.User) {
	g.Helper()
	session := result[contracts.Session](g, r)
	if session.Status != contracts.StatusOK || !strings.HasPrefix(session.PostSignInURL, g.env.SandboxURLs[g.about()]+"/") {
		g.Fatalf("got %+v", session)
	}
	ctx := g.patient()
	expectSignedIn(ctx, g, session, user)
	closed := g.stop(g.demonstration(), session)
	if closed.Reason != event.SessionReleased || closed.Attached != 1 {
		g.Errorf("%+v", closed)
	}
	if _, refused, err := websocket.Dial(ctx, session.WSURL, nil); err == nil || refused == nil || refused.StatusCode != http.StatusNotFound { //nolint:bodyclose // the library's
		g.Errorf("the session has ended, and its address still works: %v", err)
	}
}

// expectSignedIn drives a session as its caller does, and has the application
// itself say who is signed in there.
func expectSignedIn(ctx context.Context, g *gateway, session contracts.Session, user kit.User) {
	g.Helper()
	browser := rod.New().Context(ctx).ControlURL(session.WSURL).NoDefaultDevice()
	err := rod.Try(func() {
		browser.MustConnect()
		page := browser.MustPages().First()
		if at := page.MustInfo().URL; at != session.PostSignInURL {
			g.Errorf("the browser stands on %s, want %s", at, session.PostSignInURL)
		}
		who := page.MustEval(`async () => (await (await fetch('/_sandbox/user')).json()).user`).Str()
		if who != user.Username {
			g.Errorf("the browser is signed in as %q, want %s", who, user.Username)
		}
		expectNoForms(g, page, session.PostSignInURL)
	})
	if err != nil {
		g.Fatal(err)
	}
}

// expectNoForms looks at each page that the history leads back to: one that a form
// was sent for would send it again, with the password in it.
func expectNoForms(g *gateway, page *rod.Page, home string) {
	g.Helper()
	history, err := proto.PageGetNavigationHistory{}.Call(page)
	if err != nil {
		panic(err)
	}
	for _, entry := range history.Entries {
		if entry.TransitionType == proto.PageTransitionTypeFormSubmit || entry.URL != home && entry.URL != "about:blank" {
			g.Errorf("the session's history leads back to %s %s", entry.TransitionType, entry.URL)
		}
	}
}

// checkCodes checks a session whose sign-in asked for a one-time code. A second
// session of the account goes on from the kept state without one, and a user
// who has no second factor needs none.
func checkCodes(without kit.User) func(*gateway, response) {
	return func(g *gateway, r response) {
		g.Helper()
		checkSession(g, r)
		signIns := stateOf[kit.Traffic](g).SignIns
		path := contracts.CreateSession(g.about()).Path
		checkSession(g, g.send(http.MethodPost, path, g.demonstration(), nil))
		if got := stateOf[kit.Traffic](g).SignIns; got != signIns {
			g.Errorf("the second session has signed in again: %d sign-ins, want %d", got, signIns)
		}
		who := g.linkUser(applications.SandboxSite, without)
		checkSessionOf(g, g.send(http.MethodPost, path, who, nil), without)
	}
}

// codesRefused are the sign-ins at an application with one-time codes that it
// refuses: of a user who may not sign in, and of users with a second factor. A
// wrong code is typed once.
func codesRefused(barred, first, second kit.User) []refusalCase {
	first.OneTimeSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	second.OneTimeSecret = ""
	return []refusalCase{
		{name: "barred user", user: &barred, status: http.StatusOK, says: "This account", events: rejectedEvents},
		{name: "another's one-time secret", user: &first, status: http.StatusOK, says: " code is ", events: rejectedEvents, codes: 1},
		{name: "no one-time secret", user: &second, status: http.StatusOK, says: "no secret", events: rejectedEvents},
	}
}
