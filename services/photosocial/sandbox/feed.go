package sandbox

import (
	"net/http"
	"slices"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// pageSize is how many posts the feed gives at once.
const pageSize = 6

// shownPost is a post as the scripts are given it.
type shownPost struct {
	ID       string    `json:"id"`
	By       *face     `json:"by"`
	Picture  string    `json:"picture"`
	Caption  string    `json:"caption"`
	Place    string    `json:"place"`
	PostedAt time.Time `json:"postedAt"`
	Likes    int       `json:"likes"`
	Liked    bool      `json:"liked"`
	Comments int       `json:"comments"`
}

func (s *Site) shown(p *post, user string) shownPost {
	s.mu.Lock()
	defer s.mu.Unlock()
	likes := p.Likes
	for _, liked := range s.likes {
		if slices.Contains(liked, p.ID) {
			likes++
		}
	}
	return shownPost{
		ID: p.ID, By: p.By.face(), Picture: "/pictures/" + p.ID + ".svg", Caption: p.Caption, Place: p.Place,
		PostedAt: time.Now().Add(-p.Age).UTC().Truncate(time.Minute),
		Likes:    likes, Liked: slices.Contains(s.likes[user], p.ID), Comments: p.Comments,
	}
}

// getFeed gives the posts after the one that is named, newest first.
func (s *Site) getFeed(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	posts := s.posts
	if after := r.URL.Query().Get("after"); after != "" {
		at := slices.IndexFunc(posts, func(p *post) bool { return p.ID == after })
		if at < 0 {
			refuse(w, http.StatusNotFound, "There is no such post.")
			return
		}
		posts = posts[at+1:]
	}
	var feed struct {
		Posts []shownPost `json:"posts"`
		Next  string      `json:"next,omitempty"` // the one after which it goes on
	}
	feed.Posts = []shownPost{}
	for _, p := range posts[:min(pageSize, len(posts))] {
		feed.Posts = append(feed.Posts, s.shown(p, session.User()))
	}
	if len(posts) > pageSize {
		feed.Next = posts[pageSize-1].ID
	}
	kit.WriteJSON(w, http.StatusOK, feed)
}

// getStories gives those who have posted a story today.
func (s *Site) getStories(w http.ResponseWriter, _ *http.Request, _ *kit.Session) {
	type story struct {
		By      *face  `json:"by"`
		Picture string `json:"picture"`
	}
	stories := []story{}
	for _, m := range s.members[len(Users) : len(Users)+12] {
		stories = append(stories, story{m.face(), "/pictures/story-" + m.Handle + ".svg"})
	}
	kit.WriteJSON(w, http.StatusOK, map[string]any{"stories": stories})
}

func (s *Site) getMember(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	m := s.member(r.PathValue("handle"))
	if m == nil {
		refuse(w, http.StatusNotFound, "Sorry, this page is not there. The member may have left.")
		return
	}
	posts := []shownPost{}
	for _, p := range s.posts {
		if p.By == m {
			posts = append(posts, s.shown(p, session.User()))
		}
	}
	kit.WriteJSON(w, http.StatusOK, map[string]any{
		"member": m.face(), "about": m.About, "followers": m.Followers, "following": m.Following,
		"posts": posts, "own": handles[session.User()] == m.Handle,
	})
}

func (s *Site) putLike(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.like(w, r, session, true)
}

func (s *Site) deleteLike(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.like(w, r, session, false)
}

func (s *Site) like(w http.ResponseWriter, r *http.Request, session *kit.Session, likes bool) {
	p := s.post(r.PathValue("id"))
	if p == nil {
		refuse(w, http.StatusNotFound, "This post is gone.")
		return
	}
	s.setLike(session.User(), p.ID, likes)
	kit.WriteJSON(w, http.StatusOK, s.shown(p, session.User()))
}

func (s *Site) setLike(user, id string, likes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.likes[user], id)
	switch {
	case likes && at < 0:
		s.likes[user] = append(s.likes[user], id)
		s.kit.Effect("like")
	case !likes && at >= 0:
		s.likes[user] = slices.Delete(s.likes[user], at, at+1)
		s.kit.Effect("unlike")
	}
}
