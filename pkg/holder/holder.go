// Package holder finds the process that holds a session's browser: the one that
// answers for the session on the bus. It keeps nothing, since a session may end
// at any moment; to ask takes less than a millisecond.
package holder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/sessions"
)

// findTimeout bounds the wait for the answer of a process that has nothing to
// do but to say where it is.
const findTimeout = 3 * time.Second

// ErrNone says that no process holds the session: it has ended, or never was.
var ErrNone = errors.New("no process holds the session")

// Find returns where the holder of a session serves the paths of
// contracts/sessions.
func Find(ctx context.Context, nc *nats.Conn, id string) (*url.URL, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	found, err := ask(ctx, nc, id, sessions.Ask{})
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(found.URL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("the holder of a session says that it is where none can be")
	}
	return base, nil
}

// Stop ends a session for a reason, one of the constants of package event, and
// returns once nothing of it is left. After another error than ErrNone the
// session may or may not have ended.
func Stop(ctx context.Context, nc *nats.Conn, id, reason string) error {
	ctx, cancel := context.WithTimeout(ctx, sessions.AskTimeout)
	defer cancel()
	_, err := ask(ctx, nc, id, sessions.Ask{Stop: reason})
	return err
}

// ask asks the holder of a session. The id comes from outside: none but a UUID
// in its one form becomes a subject, so that it is one subject and no pattern.
func ask(ctx context.Context, nc *nats.Conn, id string, question sessions.Ask) (sessions.Holder, error) {
	if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id {
		return sessions.Holder{}, ErrNone
	}
	data, err := json.Marshal(question)
	if err != nil {
		return sessions.Holder{}, fmt.Errorf("ask for the holder of a session: %w", err)
	}
	reply, err := nc.RequestWithContext(ctx, sessions.Subject(id), data)
	if errors.Is(err, nats.ErrNoResponders) {
		return sessions.Holder{}, ErrNone
	}
	if err != nil {
		return sessions.Holder{}, fmt.Errorf("ask for the holder of a session: %w", err)
	}
	var found sessions.Holder
	if err := json.Unmarshal(reply.Data, &found); err != nil {
		return sessions.Holder{}, errors.New("the holder of a session answers what is no answer")
	}
	return found, nil
}
