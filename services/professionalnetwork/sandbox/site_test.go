package sandbox_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/professionalnetwork/sandbox"
)

// visitor is a person with a browser at a network of their own.
type visitor struct {
	*sandbox.Site
	*sandboxtest.Visitor
}

func visit(t *testing.T, user kit.User) *visitor {
	t.Helper()
	site := sandbox.New()
	v := &visitor{Site: site, Visitor: sandboxtest.Visit(t, site)}
	v.Open("/network") // leads to the sign-in
	v.signIn(user)
	return v
}

func (v *visitor) signIn(user kit.User) {
	v.T.Helper()
	v.Submit("/sign-in", url.Values{"email": {user.Username}, "password": {user.Password}})
}

// thread is what the overlay gets of a conversation.
type thread struct {
	With     struct{ Name, FullName string }
	Messages []struct {
		ID   int
		Mine bool
		Text string
	}
	Earlier bool
	Error   string
	Threads []struct{ Name, Last string }
}

func (v *visitor) ask(path string) (t thread) {
	v.T.Helper()
	v.Open("/api/threads" + path)
	v.Decode(&t)
	return t
}

func (v *visitor) write(to, text string) (t thread) {
	v.T.Helper()
	v.Send(http.MethodPost, "/api/threads/"+to+"/messages", map[string]string{"text": text})
	v.Decode(&t)
	return t
}

func TestMessageIsKeptAsItIs(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	const text = " \"Hello\"\n\n<b>😀</b> "
	v.write(sandbox.Newcomer, text)
	v.write(sandbox.Newcomer, text) // sent twice, there twice
	found := v.ask("/" + sandbox.Newcomer)
	if len(found.Messages) != 2 || found.Messages[1].Text != text || !found.Messages[0].Mine || found.Messages[0].ID >= found.Messages[1].ID {
		t.Errorf("found %+v", found)
	}
	state := v.State()
	if len(state.Sent) != 2 || state.Sent[0].Text != text || state.Sent[0].To != sandbox.Newcomer || state.Effects["message"] != 2 {
		t.Errorf("state %+v", state)
	}
	if first := v.ask("").Threads[0]; first.Name != sandbox.Newcomer {
		t.Errorf("the latest thread is %+v", first)
	}
}

func TestRefusalsSendNothing(t *testing.T) {
	t.Parallel()
	jane, sam := visit(t, sandbox.Jane), visit(t, sandbox.Sam)
	for name, c := range map[string]struct {
		from     *visitor
		to, text string
		status   int
		says     string
	}{
		"nobody":        {jane, "nobody", "Hello", http.StatusNotFound, "not on Peerline"},
		"blank":         {jane, sandbox.Namesake, " \n", http.StatusUnprocessableEntity, "something"},
		"too long":      {jane, sandbox.Namesake, strings.Repeat("é", 8001), http.StatusUnprocessableEntity, "8,000"},
		"closed":        {jane, sandbox.Closed, "Hello", http.StatusUnprocessableEntity, "Viktor Lind takes"},
		"guarded":       {jane, sandbox.Guarded, "Hello", http.StatusUnprocessableEntity, "Sofia Marchetti takes"},
		"herself":       {jane, "jane-roe", "Hello", http.StatusUnprocessableEntity, "connections only"},
		"limit reached": {sam, sandbox.Namesake, "Hello", http.StatusTooManyRequests, "limit of messages"},
	} {
		if answer := c.from.write(c.to, c.text); c.from.Status != c.status || !strings.Contains(answer.Error, c.says) {
			t.Errorf("%s: %d %+v", name, c.from.Status, answer)
		}
	}
	if a, b := jane.State(), sam.State(); len(a.Sent)+len(b.Sent) != 0 || len(a.Refusals) != 6 || len(b.Refusals) != 1 {
		t.Errorf("states %+v and %+v", a, b)
	}
}

func TestThreadsComeInPages(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	last := v.ask("/" + sandbox.Talkative)
	if len(last.Messages) != 20 || !last.Earlier || last.With.FullName != "Amara Osei" {
		t.Fatalf("last %+v", last)
	}
	before := v.ask(fmt.Sprintf("/%s?before=%d", sandbox.Talkative, last.Messages[0].ID))
	if len(before.Messages) != 20 || before.Messages[19].ID >= last.Messages[0].ID || !before.Earlier {
		t.Errorf("before %+v", before)
	}
	after := v.ask(fmt.Sprintf("/%s?after=%d", sandbox.Talkative, before.Messages[0].ID))
	if len(after.Messages) != 39 || after.Messages[0].ID != before.Messages[1].ID {
		t.Errorf("after %+v", after)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	if v.Path != "/network" || strings.Count(v.Page, `class="card person"`) != 82 {
		t.Errorf("after the sign-in at %s", v.Path)
	}
	for path, want := range map[string]string{
		"/":                      "What your peers",
		"/in/" + sandbox.Guarded: `data-to="` + sandbox.Guarded + `"`,
		"/in/" + sandbox.Closed:  `class="no-messages"`,
		"/in/jane-roe":           "You cannot write to yourself",
		"/in/nobody":             `id="missing"`,
		"/nowhere":               `id="missing"`,
	} {
		v.Open(path)
		if missing := slices.Contains([]string{"/in/nobody", "/nowhere"}, path); !strings.Contains(v.Page, want) || missing != (v.Status == http.StatusNotFound) {
			t.Errorf("%s: %d %s", path, v.Status, v.Page)
		}
	}
	v.Submit("/sign-out", nil)
	v.ask("/" + sandbox.Namesake)
	v.Answered(http.StatusUnauthorized)
	v.Open("/in/" + sandbox.Namesake)
	v.At("/sign-in?return=%2Fin%2F" + sandbox.Namesake)
	v.signIn(kit.User{Username: sandbox.Jane.Username, Password: "x"})
	v.Sees(`id="sign-in-error"`)
}
