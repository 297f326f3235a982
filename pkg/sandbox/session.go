package sandbox

import (
	"container/list"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
)

// TokenField is the name of the form field that carries the anti-forgery
// token; pages that send no forms use the header [TokenHeader].
const (
	TokenField  = "csrf"
	TokenHeader = "X-CSRF-Token" //nolint:gosec // a header's name, not a secret
)

// maxSessions bounds the sessions of one stand-in; the least recently used
// one is forgotten first.
const maxSessions = 10_000

// Session is one browser's visit, known by its cookie. It is bound to the
// request that it was asked for.
type Session struct {
	kit    *Kit
	w      http.ResponseWriter
	record *record
}

// record is what is kept of a session. Kit.mu guards it.
type record struct {
	id      string
	key     []byte // signs the session's tokens
	guest   string
	user    string // empty while signed out
	awaited string // who has given the password, and not yet the one-time code
	place   *list.Element
}

// Session returns the request's session; without one it starts one, and then
// must be called before the answer's header is written.
func (k *Kit) Session(w http.ResponseWriter, r *http.Request) *Session {
	k.mu.Lock()
	defer k.mu.Unlock()
	rec := k.current(r)
	if rec == nil {
		rec = k.sessions.start()
		k.setCookie(w, rec.id)
	}
	return &Session{kit: k, w: w, record: rec}
}

// User returns who is signed in, or "".
func (s *Session) User() string {
	s.kit.mu.Lock()
	defer s.kit.mu.Unlock()
	return s.record.user
}

// Guest names the visitor whether signed in or not, such as "guest-7". The
// name lasts as long as the session, through a sign-in too.
func (s *Session) Guest() string { return s.record.guest }

// SignIn makes user the one who is signed in. The session gets a new cookie,
// so that one planted before the sign-in is worth nothing after it.
func (s *Session) SignIn(user string) {
	s.kit.mu.Lock()
	defer s.kit.mu.Unlock()
	s.kit.sessions.renew(s.record)
	s.record.user = user
	s.kit.setCookie(s.w, s.record.id)
}

// SignOut ends the sign-in; the session goes on as a guest's.
func (s *Session) SignOut() {
	s.kit.mu.Lock()
	defer s.kit.mu.Unlock()
	s.kit.sessions.renew(s.record)
	s.kit.setCookie(s.w, s.record.id)
}

// Token returns a fresh anti-forgery token of the session. Each form that is
// shown gets its own, so that a second submit of the same form can be told.
func (s *Session) Token() string {
	s.kit.mu.Lock()
	defer s.kit.mu.Unlock()
	nonce := rand.Text()
	return nonce + "." + sign(s.record.key, nonce)
}

func sign(key []byte, nonce string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(nonce))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// guard lets a request that may change something pass only with a token of
// its own session.
func (k *Kit) guard(site *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			site.ServeHTTP(w, r)
			return
		}
		token, isForm := r.Header.Get(TokenHeader), false
		if token == "" {
			token, isForm = r.PostFormValue(TokenField), true
		}
		k.mu.Lock()
		ok := k.genuine(r, token)
		switch {
		case !ok:
			k.traffic.Forged++
		case isForm:
			k.submitted(routeOf(site, r), token)
		}
		k.mu.Unlock()
		if !ok {
			http.Error(w, "This form has expired. Go back, reload the page and try again.", http.StatusForbidden)
			return
		}
		site.ServeHTTP(w, r)
	})
}

// genuine says whether the token was given to the request's session. The
// caller holds k.mu.
func (k *Kit) genuine(r *http.Request, token string) bool {
	rec := k.current(r)
	nonce, mac, found := strings.Cut(token, ".")
	return rec != nil && found && hmac.Equal([]byte(mac), []byte(sign(rec.key, nonce)))
}

// current returns the session of the request's cookie, or nil. The caller
// holds k.mu.
func (k *Kit) current(r *http.Request) *record {
	cookie, err := r.Cookie(k.cookieName())
	if err != nil {
		return nil
	}
	return k.sessions.find(cookie.Value)
}

// cookieName differs from site to site: cookies know no ports, and all
// stand-ins of a machine share its loopback address.
func (k *Kit) cookieName() string { return k.config.Name + "-session" }

// setCookie gives the browser a session cookie, one without an expiry. It is
// not marked Secure, for stand-ins are served over plain HTTP.
func (k *Kit) setCookie(w http.ResponseWriter, id string) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // see above
		Name:     k.cookieName(),
		Value:    id,
		Path:     "/",
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	})
}

// sessions are the records by id, in order of their last use. Kit.mu guards
// them.
type sessions struct {
	byID    map[string]*record
	recent  *list.List // of *record, most recently used first
	started int
}

func newSessions() sessions {
	return sessions{byID: map[string]*record{}, recent: list.New()}
}

func (s *sessions) find(id string) *record {
	rec := s.byID[id]
	if rec != nil {
		s.recent.MoveToFront(rec.place)
	}
	return rec
}

func (s *sessions) start() *record {
	if len(s.byID) >= maxSessions {
		if oldest, ok := s.recent.Remove(s.recent.Back()).(*record); ok {
			delete(s.byID, oldest.id)
		}
	}
	s.started++
	rec := &record{guest: "guest-" + strconv.Itoa(s.started)}
	s.renew(rec)
	return rec
}

// renew gives the record a new id and key, and nobody signed in.
func (s *sessions) renew(rec *record) {
	if rec.place != nil {
		delete(s.byID, rec.id)
		s.recent.Remove(rec.place)
	}
	rec.id, rec.key, rec.user, rec.awaited = rand.Text(), []byte(rand.Text()), "", ""
	rec.place = s.recent.PushFront(rec)
	s.byID[rec.id] = rec
}

func (s *sessions) signedIn() int {
	n := 0
	for _, rec := range s.byID {
		if rec.user != "" {
			n++
		}
	}
	return n
}
