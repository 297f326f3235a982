package session

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/browser"
)

// maxClients bounds the clients that are connected to a session for one purpose at
// a time: viewers take no place from controllers.
const maxClients = 16

// maxAttached bounds how often clients connect to a session for one purpose: each
// time is two events, which stay for ever.
const maxAttached = 1000

// The end of a session takes at most these times, one after the other: together
// less than sessions.AskTimeout, within which who stops it waits.
const (
	detachLimit = 2 * time.Second // for its clients to be cut off
	keepLimit   = 3 * time.Second // for what is kept of its browser
	recordLimit = 4 * time.Second // for its last events
)

// session is a browser that was handed over. Its goroutine, run, owns its life;
// everybody else may end it.
type session struct {
	k        *Keeper
	id       string
	request  Request
	instance string // that opened it
	tickets  tickets

	pool         *browser.Pool
	page         *browser.Page
	subscription *nats.Subscription
	story        *story
	opened       time.Time
	expires      time.Time

	life    context.Context         // ends when the session is to end; its cause is an ended
	cut     context.CancelCauseFunc // ends life, and with it all connections of clients
	changed chan struct{}           // holds one element when a client has come or gone
	done    chan struct{}           // closed when nothing of the session is left

	mu      sync.Mutex
	clients map[*client]struct{}  // connected
	left    map[event.Purpose]int // how many have gone
	gone    bool                  // run is about to return
}

// client is one that is connected.
type client struct {
	purpose event.Purpose
	since   time.Time
}

// ended is why a session ends: one of event's reasons.
type ended string

// Error is what its clients are told. A WebSocket has room for 123 bytes.
func (e ended) Error() string {
	why, known := map[ended]string{
		event.SessionReleased: "it was given back",
		event.SessionStopped:  "the operator ended it",
		event.SessionIdle:     "nobody was connected for too long",
		event.SessionExpired:  "its time was over",
		event.SessionUnlinked: "its account was unlinked",
		event.SessionRevoked:  "a token that it was opened with works no more",
		event.SessionShutdown: "the service was stopped",
		event.SessionLost:     "its browser is gone",
	}[e]
	if !known {
		why = string(e)
	}
	return "the session has ended: " + why
}

// end has the session end; the first reason counts. Its clients are cut off at
// once.
func (s *session) end(why ended) { s.cut(why) }

// reason is why the session has ended, or ends.
func (s *session) reason() ended {
	var why ended
	if !errors.As(context.Cause(s.life), &why) {
		return event.SessionLost
	}
	return why
}

// run waits for the session's end, and ends it.
func (s *session) run() {
	expires, idle := time.NewTimer(time.Until(s.expires)), time.NewTimer(s.k.parts.Config.Idle)
	defer expires.Stop()
	defer idle.Stop()
	kept := 0 // clients that had gone when the state was kept last
	for s.life.Err() == nil {
		select {
		case <-s.life.Done():
		case <-s.page.Context().Done():
			s.end(event.SessionLost)
		case <-expires.C:
			s.end(event.SessionExpired)
		case <-idle.C:
			s.end(event.SessionIdle)
		case <-s.changed:
			idle.Stop()
			connected, left := s.count()
			if connected > 0 {
				continue
			}
			idle.Reset(s.k.parts.Config.Idle)
			if left > kept && s.life.Err() == nil {
				kept = left
				s.keep(s.life)
			}
		}
	}
	s.finish()
}

// finish ends the session: what its browser has changed of the sign-in is kept,
// its end recorded, and its browser gone. Nothing is kept of a session that was
// lost, or that its clients had no more right to.
func (s *session) finish() {
	s.awaitClients()
	switch s.reason() {
	case event.SessionLost, event.SessionUnlinked, event.SessionRevoked:
	default:
		s.keep(s.k.ctx)
	}
	s.story.add(event.SessionClosed{Reason: string(s.reason()), Seconds: time.Since(s.opened).Seconds()})
	s.story.end()
	struckOut := make(chan struct{})
	s.k.work.Go(func() {
		defer close(struckOut)
		s.strikeOut()
	})
	kill(s.pool)
	select {
	case <-struckOut:
	case <-time.After(recordLimit):
	}
	_ = s.subscription.Unsubscribe() // or the connection has gone
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	s.k.leave(s.id)
	close(s.done)
	s.k.parts.Logger.Info("session ended", "session", s.id, "reason", s.reason(), "open", time.Since(s.opened))
}

// strikeOut takes the session out of the register once its end is recorded. An
// end that could not be recorded is left to who looks for what was left behind.
func (s *session) strikeOut() {
	defer s.k.forget(s.id)
	<-s.story.done
	if s.story.complete {
		s.leaveRegister()
	}
}

func (s *session) leaveRegister() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.k.ctx), leaveTimeout)
	defer cancel()
	if err := s.k.register.leave(ctx, s.id); err != nil {
		s.k.parts.Logger.Warn("a session that has ended is struck out later", "session", s.id, "error", err)
	}
}

// keep stores what the account's next browser goes on from, before ctx ends.
func (s *session) keep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, keepLimit)
	defer cancel()
	if err := s.request.Keep(ctx, s.page); err != nil {
		s.k.parts.Logger.Warn("what a session has changed of its account's sign-in was not kept", "session", s.id, "error", err)
	}
}

// attach lets a client in, until detach is called.
func (s *session) attach(purpose event.Purpose) (detach func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return nil, context.Cause(s.life)
	}
	connected := 0
	for c := range s.clients {
		if c.purpose == purpose {
			connected++
		}
	}
	if connected >= maxClients {
		return nil, errClients
	}
	if s.left[purpose]+connected >= maxAttached {
		return nil, errAttached
	}
	c := &client{purpose, time.Now()}
	s.clients[c] = struct{}{}
	s.story.add(event.SessionAttached{Purpose: purpose})
	s.tellChange()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.clients, c)
		s.left[purpose]++
		s.story.add(event.SessionDetached{Purpose: purpose, Seconds: time.Since(c.since).Seconds()})
		s.tellChange()
	}, nil
}

var (
	errClients  = errors.New("as many clients as there may be are connected to this session")
	errAttached = errors.New("clients have connected to this session as often as they may; stay connected, or open another session")
)

func (s *session) tellChange() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// count is how many clients are connected, and how many have gone.
func (s *session) count() (connected, left int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.left {
		left += n
	}
	return len(s.clients), left
}

// awaitClients waits until those that were cut off have gone.
func (s *session) awaitClients() {
	over := time.After(detachLimit)
	for {
		if connected, _ := s.count(); connected == 0 {
			return
		}
		select {
		case <-s.changed:
		case <-over:
			return
		}
	}
}

// status is what a client is told.
func (s *session) status(purpose event.Purpose) sessions.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := sessions.Status{Purpose: string(purpose), Now: time.Now().UTC(), Expires: s.expires.UTC(), Clients: []sessions.Client{}}
	for c := range s.clients {
		status.Clients = append(status.Clients, sessions.Client{Purpose: string(c.purpose), Since: c.since.UTC()})
	}
	slices.SortFunc(status.Clients, func(a, b sessions.Client) int { return a.Since.Compare(b.Since) })
	return status
}

// listen answers who asks on the bus for the holder of the session.
func (s *session) listen() (err error) {
	s.subscription, err = s.k.parts.Bus.Subscribe(sessions.Subject(s.id), s.answer)
	return err
}

func (s *session) answer(msg *nats.Msg) {
	var ask sessions.Ask
	if json.Unmarshal(msg.Data, &ask) != nil {
		return // from nobody that we know
	}
	if ask.Stop == "" {
		s.respond(msg)
		return
	}
	s.end(ended(ask.Stop))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		s.respond(msg)
		return
	}
	s.k.work.Go(func() {
		<-s.done
		s.respond(msg)
	})
}

func (s *session) respond(msg *nats.Msg) {
	text, err := json.Marshal(sessions.Holder{URL: s.k.url})
	if err == nil {
		err = msg.Respond(text)
	}
	if err != nil {
		s.k.parts.Logger.Warn("who asked for a session was not answered", "session", s.id, "error", err)
	}
}
