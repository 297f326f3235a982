package sandbox

import (
	"bytes"
	"crypto/subtle"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// maxBody bounds the body of every request, in bytes.
const maxBody = 64 << 10

// User is a seeded user of a stand-in, who signs in with a password, and with a
// one-time code where there is a secret.
type User struct {
	Username      string
	Password      string
	OneTimeSecret string // base32; empty for a user without a second factor
}

// Config describes a stand-in to its kit.
type Config struct {
	// Name of the site, such as "marketplace"; its cookie is named after it.
	Name string
	// Users who can sign in.
	Users []User
	// Markup names the variants of its pages that the site knows. The fault
	// "markup" switches them on; the site asks for them with [Kit.Markup].
	Markup []string
	// State returns what GET /_sandbox/state answers: the traffic, and what
	// the site itself has to tell. It must be safe for concurrent use. A nil
	// State answers the traffic alone.
	State func(Traffic) any
}

// Kit is the shared part of one running stand-in. It is safe for concurrent
// use.
type Kit struct {
	config    Config
	passwords map[string]string
	secrets   map[string]string // of one-time codes

	mu       sync.Mutex
	lastCode map[string]int64 // the number of the newest one-time code that was taken, by user
	sessions sessions
	faults   activeFaults
	traffic  tally
}

// New returns a kit without faults, sessions or traffic.
func New(config Config) *Kit {
	passwords, secrets := map[string]string{}, map[string]string{}
	for _, u := range config.Users {
		passwords[u.Username], secrets[u.Username] = u.Password, u.OneTimeSecret
	}
	return &Kit{
		config:    config,
		passwords: passwords,
		secrets:   secrets,
		lastCode:  map[string]int64{},
		sessions:  newSessions(),
		traffic:   newTally(),
	}
}

// Handler serves the site's pages with faults, anti-forgery check and
// counting around them, and the control endpoints beside them. A request that
// is neither GET nor HEAD reaches the site only with a token that
// [Session.Token] gave to the same session; any other is answered 403.
func (k *Kit) Handler(site *http.ServeMux) http.Handler {
	guarded := k.count(site, k.inject(k.guard(site)))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_sandbox/state", k.serveState)
	mux.HandleFunc("GET /_sandbox/user", k.serveUser)
	mux.HandleFunc("PUT /_sandbox/faults", k.putFaults)
	mux.HandleFunc("DELETE /_sandbox/faults", k.deleteFaults)
	mux.Handle("/_sandbox/", http.NotFoundHandler())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The body is read whole first: only then does net/http notice a client
		// that leaves while a fault holds its answer back.
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, "This request is too large, or was broken off.", http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if strings.HasPrefix(r.URL.Path, "/_sandbox/") {
			mux.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

// Authenticate says whether the password is the user's, and counts the
// attempt.
func (k *Kit) Authenticate(username, password string) bool {
	want, known := k.passwords[username]
	same := subtle.ConstantTimeCompare([]byte(want), []byte(password)) == 1
	ok := known && same
	k.mu.Lock()
	defer k.mu.Unlock()
	if ok {
		k.traffic.SignIns++
	} else {
		k.traffic.RejectedSignIns++
	}
	return ok
}

// Markup says whether a variant of the markup is switched on.
func (k *Kit) Markup(variant string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.faults.put.Markup, variant)
}

// serveUser answers who is signed in, in the browser that asks.
func (k *Kit) serveUser(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	user := ""
	if rec := k.current(r); rec != nil {
		user = rec.user
	}
	k.mu.Unlock()
	WriteJSON(w, http.StatusOK, map[string]string{"user": user})
}

func (k *Kit) serveState(w http.ResponseWriter, _ *http.Request) {
	traffic := k.Traffic()
	var state any = traffic
	if k.config.State != nil {
		state = k.config.State(traffic)
	}
	WriteJSON(w, http.StatusOK, state)
}
