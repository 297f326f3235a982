package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/photosocial/sandbox"
)

func TestCodeFollowsThePassword(t *testing.T) {
	t.Parallel()
	b := open(t)
	code := codeOf(t, sandbox.Jane)
	b.giveCode(http.StatusConflict, code) // before the password
	if a := b.givePassword(http.StatusOK, sandbox.Jane); !a.AwaitsCode || a.Member != nil {
		t.Fatalf("after the password: %+v", a)
	}
	b.call(http.StatusUnauthorized, http.MethodGet, "/api/feed", nil)
	b.giveCode(http.StatusForbidden, "12345")
	if a := b.giveCode(http.StatusOK, code); a.AwaitsCode || a.Member == nil || a.Member.Handle != "jane.roe" {
		t.Fatalf("after the code: %+v", a)
	}
	b.call(http.StatusOK, http.MethodGet, "/api/feed", nil)
	if a := b.call(http.StatusOK, http.MethodPost, "/api/sign-out", nil); a.Member != nil {
		t.Errorf("signed out: %+v", a)
	}
	b.call(http.StatusUnauthorized, http.MethodGet, "/api/stories", nil)
	b.givePassword(http.StatusOK, sandbox.Jane)
	b.giveCode(http.StatusForbidden, code) // once more
	if got := b.State(); got.SignIns != 2 || got.RejectedCodes != 2 || got.SignedIn != 0 {
		t.Errorf("%+v", got.Traffic)
	}
}

func TestSignInIsRefused(t *testing.T) {
	t.Parallel()
	b := open(t)
	for _, user := range []kit.User{{Username: sandbox.Mila.Username, Password: "x"}, {Username: "nobody@fernlight.example"}, sandbox.Viktor} {
		b.givePassword(http.StatusForbidden, user)
	}
	b.call(http.StatusBadRequest, http.MethodPost, "/api/sign-in", "no object")
	b.Token = "forged"
	b.Send(http.MethodPost, "/api/sign-in", sandbox.Mila)
	b.Answered(http.StatusForbidden, "This form has expired.")
	if a := b.call(http.StatusOK, http.MethodGet, "/api/session", nil); a.Member != nil {
		t.Errorf("%+v is signed in", a.Member)
	}
}

func TestFeedGivesEachPostOnce(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.givePassword(http.StatusOK, sandbox.Mila)
	seen, last := map[string]bool{}, time.Now()
	for path := "/api/feed"; path != ""; {
		page := b.call(http.StatusOK, http.MethodGet, path, nil)
		for _, p := range page.Posts {
			if seen[p.ID] || p.PostedAt.After(last) {
				t.Errorf("post %s of %s comes twice, or late", p.ID, p.PostedAt)
			}
			seen[p.ID], last = true, p.PostedAt
			if b.Open(p.Picture); b.Status != http.StatusOK || !strings.HasPrefix(b.Page, "<svg") {
				t.Errorf("picture %s: %d", p.Picture, b.Status)
			}
		}
		if path = ""; page.Next != "" {
			path = "/api/feed?after=" + page.Next
		}
	}
	if len(seen) != 174 {
		t.Errorf("%d posts", len(seen))
	}
	for _, story := range b.call(http.StatusOK, http.MethodGet, "/api/stories", nil).Stories {
		b.Open(story.Picture)
		b.Answered(http.StatusOK)
	}
	b.call(http.StatusNotFound, http.MethodGet, "/api/feed?after=none", nil)
}

func TestLikesAreCountedOnce(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.givePassword(http.StatusOK, sandbox.Mila)
	id := b.call(http.StatusOK, http.MethodGet, "/api/feed", nil).Posts[0].ID
	path := "/api/posts/" + id + "/like"
	first := b.call(http.StatusOK, http.MethodPut, path, nil)
	again := b.call(http.StatusOK, http.MethodPut, path, nil)
	if !first.Liked || first.Likes != again.Likes {
		t.Errorf("%+v, then %+v", first, again)
	}
	if diff := cmp.Diff(map[string][]string{sandbox.Mila.Username: {id}}, b.State().Likes); diff != "" {
		t.Errorf("likes (-want +got):\n%s", diff)
	}
	if gone := b.call(http.StatusOK, http.MethodDelete, path, nil); gone.Liked || gone.Likes != first.Likes-1 {
		t.Errorf("%+v", gone)
	}
	if diff := cmp.Diff(map[string]int{"like": 1, "unlike": 1}, b.State().Effects); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	b.call(http.StatusNotFound, http.MethodPut, "/api/posts/none/like", nil)
}

func TestProfilesShowOnlyTheirOwn(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.givePassword(http.StatusOK, sandbox.Mila)
	for handle, own := range map[string]bool{"mila.novak": true, "jane.roe": false} {
		profile := b.call(http.StatusOK, http.MethodGet, "/api/members/"+handle, nil)
		if profile.Own != own || profile.Member.Handle != handle {
			t.Errorf("%s: %+v", handle, profile)
		}
		for _, p := range profile.Posts {
			if p.By.Handle != handle {
				t.Errorf("%s shows a post of %s", handle, p.By.Handle)
			}
		}
	}
	b.call(http.StatusNotFound, http.MethodGet, "/api/members/nobody", nil)
	for path, want := range map[string]int{
		"/members/nobody": http.StatusOK, "/nowhere": http.StatusNotFound, "/faces/jane.roe.svg": http.StatusOK,
		"/faces/nobody.svg": http.StatusNotFound, "/pictures/p0.svg": http.StatusNotFound, "/assets/app.js": http.StatusOK,
	} {
		b.Open(path)
		b.Answered(want)
	}
}
