package session

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"sync"

	"integration.gateway/contracts/event"
	"integration.gateway/contracts/sessions"
)

// maxTickets bounds the tickets of a session.
const maxTickets = 100

var errTickets = errors.New("this session has handed out as many links as it may; use one of those")

// tickets are what a session's addresses carry. Who has one has the session,
// for one purpose, until it ends. Only their hashes are kept, and nowhere but in
// memory.
type tickets struct {
	mu    sync.Mutex
	known []ticket
}

type ticket struct {
	hash    [sha256.Size]byte
	purpose event.Purpose
}

// issue makes a ticket.
func (t *tickets) issue(purpose event.Purpose) (string, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	text := sessions.TicketPrefix + base64.RawURLEncoding.EncodeToString(secret)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= maxTickets {
		return "", errTickets
	}
	t.known = append(t.known, ticket{sha256.Sum256([]byte(text)), purpose})
	return text, nil
}

// purpose is what a ticket is for; empty when it is none of this session's.
func (t *tickets) purpose(text string) event.Purpose {
	hash := sha256.Sum256([]byte(text))
	t.mu.Lock()
	defer t.mu.Unlock()
	var found event.Purpose
	for _, known := range t.known {
		if subtle.ConstantTimeCompare(known.hash[:], hash[:]) == 1 {
			found = known.purpose
		}
	}
	return found
}
