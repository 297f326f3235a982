package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
)

// channelSessions knows which of a connection's DevTools sessions are channels'.
// All others are go-rod's.
type channelSessions struct {
	mu    sync.Mutex
	known map[string]channelSession
}

type channelSession struct {
	channel *Channel
	parent  string // the session that it came out of; "" for a channel's root
	kind    string // of its target
}

func (s *channelSessions) get(session string) channelSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[session]
}

func (s *channelSessions) add(session string, its channelSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]channelSession{}
	}
	s.known[session] = its
}

// drop forgets a session with all that came out of it, and returns them. They
// end together, but Chromium tells of the first one only.
func (s *channelSessions) drop(session string) map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	dropped := map[string]bool{session: true}
	delete(s.known, session)
	for grown := true; grown; {
		grown = false
		for id, other := range s.known {
			if dropped[other.parent] {
				delete(s.known, id)
				dropped[id], grown = true, true
			}
		}
	}
	return dropped
}

// sessionEvent is what a connection needs of how channels' sessions come and go.
type sessionEvent struct {
	SessionID  string `json:"sessionId"`
	TargetInfo struct {
		Type string `json:"type"`
	} `json:"targetInfo"`
}

// toChannel passes a frame on, if it is of a channel.
func (c *conn) toChannel(frame []byte) (was bool, err error) {
	m, is := splitFrame(frame)
	if !is {
		return false, nil
	}
	if m.Method != "" {
		return c.eventToChannel(m)
	}
	c.mu.Lock()
	pending := c.pending[m.ID]
	c.mu.Unlock()
	if pending == nil || pending.channel == nil {
		return false, nil
	}
	c.settle(m)
	return true, nil
}

func (c *conn) eventToChannel(m message) (was bool, err error) {
	channel := c.sessions.get(m.SessionID).channel
	if channel == nil {
		return false, nil
	}
	var e sessionEvent
	attached, detached := m.Method == "Target.attachedToTarget", m.Method == "Target.detachedFromTarget"
	if attached || detached {
		if err := json.Unmarshal(m.Params, &e); err != nil {
			return true, fmt.Errorf("an event that is not understood: %w", err)
		}
	}
	if attached {
		c.sessions.add(e.SessionID, channelSession{channel: channel, parent: m.SessionID, kind: e.TargetInfo.Type})
	}
	channel.deliver(Message{Session: m.SessionID, Method: m.Method, Params: m.Params})
	if detached && c.sessions.get(e.SessionID).channel == channel {
		c.dropSession(e.SessionID)
	}
	return true, nil
}

// dropSession forgets a channel's session and those that came out of it, and
// answers the commands to them, which Chromium does not any more.
func (c *conn) dropSession(session string) {
	dropped := c.sessions.drop(session)
	var lost []*pendingCall
	c.mu.Lock()
	for id, pending := range c.pending {
		if pending.channel != nil && dropped[pending.session] {
			delete(c.pending, id)
			lost = append(lost, pending)
		}
	}
	c.mu.Unlock()
	for _, pending := range lost {
		pending.channel.deliver(Message{ID: pending.clientID, Session: pending.session, Error: errNoSession})
	}
}

var (
	resultKey  = []byte(`"result":`)
	errorKey   = []byte(`"error":`)
	paramsKey  = []byte(`,"params":`)
	sessionKey = []byte(`,"sessionId":"`)
)

// splitFrame takes a frame apart as Chromium puts it together, without a look at
// what is inside: a picture has megabytes. It is false for a frame that is put
// together in another way.
func splitFrame(frame []byte) (m message, is bool) {
	body, is := bytes.CutSuffix(frame, []byte("}"))
	if !is {
		return message{}, false
	}
	// Nothing but a string that is the last member ends like that, and Chromium
	// puts the session there.
	if rest, is := bytes.CutSuffix(body, []byte(`"`)); is {
		at := bytes.LastIndex(rest, sessionKey)
		if at < 0 || bytes.ContainsAny(rest[at+len(sessionKey):], `"\`) {
			return message{}, false
		}
		m.SessionID, body = string(rest[at+len(sessionKey):]), rest[:at]
	}
	if rest, is := bytes.CutPrefix(body, []byte(`{"method":"`)); is {
		method, params, is := bytes.Cut(rest, []byte(`"`))
		m.Method = string(method)
		if len(params) == 0 {
			return m, is
		}
		m.Params, is = bytes.CutPrefix(params, paramsKey)
		return m, is && !bytes.ContainsRune(method, '\\')
	}
	rest, is := bytes.CutPrefix(body, []byte(`{"id":`))
	digits, rest, found := bytes.Cut(rest, []byte(","))
	id, err := strconv.Atoi(string(digits))
	m.ID = id
	if !is || !found || err != nil {
		return message{}, false
	}
	if m.Result, is = bytes.CutPrefix(rest, resultKey); is {
		return m, true
	}
	m.Result = nil
	m.Error, is = bytes.CutPrefix(rest, errorKey)
	return m, is
}
