package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
)

// retryAfter is what a caller is told for whom there is no room.
const retryAfter = 10 * time.Second

// leaveTimeout bounds what a session that did not come about takes back.
const leaveTimeout = 5 * time.Second

// Request says for whom a session is opened, and how.
type Request struct {
	Identity    bus.Identity
	User        string // fingerprint of who the account signs in as at the site
	Integration string
	Operation   string   // that opens it
	Site        string   // its name
	Version     string   // of the site; see browser.Tenant
	Origins     []string // of the site; see browser.Tenant

	// Restore returns the account's state for a fresh browser; see browser.Tenant.
	Restore func(context.Context) (*browser.State, error)
	// SignIn proves that the page is signed in, or signs it in.
	SignIn func(ctx context.Context, page *browser.Page) (SignedIn, error)
	// Keep stores what the account's next browser goes on from. It is called when
	// the last client has gone, and at the end.
	Keep func(ctx context.Context, page *browser.Page) error
}

// SignedIn is what came of Request.SignIn.
type SignedIn struct {
	Home  string // the address that the page stands on
	Typed bool   // the page was given the account's credentials: clients get another one at Home
}

// Create opens a session and returns the answer for its caller. The error is
// SignIn's own, or says with a *contracts.Error that there is no room.
//
// Ctx is the request's, which goes on until the answer is sent. When it ends
// before, since its time is over or its caller has gone, nobody can ever reach the
// session, and it ends.
func (k *Keeper) Create(ctx context.Context, r Request) (_ *contracts.Session, err error) {
	s := &session{
		k: k, id: uuid.Must(uuid.NewV7()).String(), request: r, clients: map[*client]struct{}{}, left: map[event.Purpose]int{},
		changed: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if err := k.enter(ctx, s); err != nil {
		return nil, err
	}
	defer k.work.Done()
	defer k.reserve.refill()
	s.life, s.cut = context.WithCancelCause(context.WithoutCancel(ctx))
	handed := false // also when SignIn panics
	defer func() {
		if !handed {
			s.cut(errors.New("it was not opened"))
			k.work.Go(s.discard)
		}
	}()
	opening, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(k.ctx, cancel)()
	home, err := s.open(opening)
	if err != nil {
		return nil, err
	}
	answer, err := s.addresses(home)
	if err != nil {
		return nil, err
	}
	if err := k.add(s); err != nil {
		return nil, err
	}
	handed = true
	context.AfterFunc(ctx, func() {
		// The end of a request that was answered is a plain cancellation.
		if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
			k.parts.Logger.Info("a session ends whose caller did not wait for it", "session", s.id, "cause", cause)
			s.end(ended(event.SessionReleased))
		}
	})
	return answer, nil
}

// enter takes a place for a session that is about to be opened, and notes it in
// the register. Work counts it until Create returns.
func (k *Keeper) enter(ctx context.Context, s *session) error {
	if err := k.takePlace(s.id); err != nil {
		return err
	}
	err := k.noteEntry(ctx, s)
	if err != nil {
		k.leave(s.id)
		k.forget(s.id)
		k.work.Done()
	}
	return err
}

func (k *Keeper) takePlace(id string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.closed:
		return errStopping
	case k.taken >= k.parts.Config.Max:
		return busy("there is no room for another session: all %d that this instance may have are open", k.parts.Config.Max)
	}
	k.taken++
	k.mine[id] = struct{}{}
	k.work.Add(1)
	return nil
}

func (k *Keeper) noteEntry(ctx context.Context, s *session) error {
	s.instance = k.parts.Instance.ID()
	if !k.parts.Instance.Holds(s.instance) {
		return unavailable(errNoLease)
	}
	entered, err := k.register.enter(ctx, s.id, s.request.Identity.CallerID, s.instance, k.parts.Config.MaxCaller)
	if err != nil {
		return unavailable(err)
	}
	if !entered {
		return busy("this caller has %d sessions open, and may have no more at a time; end one with DELETE %s, or wait until one ends",
			k.parts.Config.MaxCaller, sessions.Path("{sessionId}"))
	}
	return nil
}

// leave gives a session's place back.
func (k *Keeper) leave(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.sessions, id)
	k.taken--
}

// forget leaves a session that is still in the register to who looks for what
// was left behind.
func (k *Keeper) forget(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.mine, id)
}

var (
	errStopping = &contracts.Error{Kind: contracts.Unavailable, Message: "the service is shutting down", RetryAfter: retryAfter}
	errNoLease  = errors.New("the lease of this instance has expired, and is not renewed yet")
)

func busy(format string, args ...any) error {
	return &contracts.Error{Kind: contracts.Busy, Message: fmt.Sprintf(format, args...), RetryAfter: retryAfter}
}

func unavailable(cause error) error {
	return &contracts.Error{
		Kind: contracts.Unavailable, Message: "the session could not be recorded, so it was not opened", RetryAfter: time.Second, Err: cause,
	}
}

// open starts the session's browser, has it signed in and records that it is
// open. On an error, discard takes back what there is.
func (s *session) open(ctx context.Context) (home string, err error) {
	k, r := s.k, s.request
	if s.pool, err = k.reserve.take(ctx); err != nil {
		return "", err
	}
	s.page, err = s.pool.Acquire(ctx, browser.Tenant{
		Account: r.Identity.AccountID, Site: r.Version, Origins: r.Origins, Restore: r.Restore,
	})
	if err != nil {
		return "", err
	}
	signedIn, err := r.SignIn(ctx, s.page)
	if err != nil {
		return "", err
	}
	fresh := ""
	if signedIn.Typed {
		fresh = signedIn.Home
	}
	if err := s.page.HandOver(ctx, fresh); err != nil {
		return "", err
	}
	if err := s.listen(); err != nil {
		return "", err
	}
	if !k.parts.Instance.Holds(s.instance) {
		return "", unavailable(errNoLease)
	}
	s.opened = time.Now()
	s.expires = s.opened.Add(k.parts.Config.Time)
	s.story = newStory(k.parts.Log, k.parts.Logger, s.id, r)
	if err := s.story.begin(ctx, event.SessionOpened{Site: r.Site, User: r.User, Expires: s.expires.UTC()}); err != nil {
		return "", unavailable(err)
	}
	return signedIn.Home, nil
}

// discard takes back what there is of a session that was not handed over.
func (s *session) discard() {
	k := s.k
	if s.subscription != nil {
		_ = s.subscription.Unsubscribe() // the connection has gone
	}
	if s.pool != nil {
		kill(s.pool)
	}
	if s.story == nil { // nothing of it can be in the log
		s.leaveRegister()
	}
	k.forget(s.id)
	k.leave(s.id)
}

// add begins the life of a session that is open.
func (k *Keeper) add(s *session) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return errStopping
	}
	k.sessions[s.id] = s
	k.work.Go(func() { s.story.run(k.ctx, func() { s.end(ended(event.SessionLost)) }) })
	k.work.Go(s.run)
	return nil
}

// addresses are what the session's caller is answered.
func (s *session) addresses(home string) (*contracts.Session, error) {
	control, err := s.tickets.issue(event.Control)
	if err != nil {
		return nil, err
	}
	live, err := s.link(event.Control)
	if err != nil {
		return nil, err
	}
	public := s.k.public() + sessions.Path(s.id)
	return &contracts.Session{
		Status:                contracts.StatusOK,
		WSURL:                 "ws" + strings.TrimPrefix(public, "http") + sessions.BrowserPath + control,
		PostSignInURL:         home,
		DebuggerFullscreenURL: live,
	}, nil
}

// link is the address of the page that shows the session, with a ticket of its
// own.
func (s *session) link(purpose event.Purpose) (string, error) {
	ticket, err := s.tickets.issue(purpose)
	if err != nil {
		return "", err
	}
	return s.k.public() + sessions.Path(s.id) + sessions.LivePath + "#" + ticket, nil
}

// public is where callers reach the gateway.
func (k *Keeper) public() string {
	return strings.TrimSuffix(cmp.Or(k.parts.Config.PublicURL, k.url), "/")
}
