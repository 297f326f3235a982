package command

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-kit/kit/endpoint"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/vault"
)

// Log is where the events go: an eventlog.Log.
type Log interface {
	// Append adds events to a stream whose last event has the expected
	// version, and returns them as they were recorded.
	Append(ctx context.Context, stream string, expected int64, events ...event.Event) ([]event.Event, error)

	// Stream returns the events of a stream, in order.
	Stream(ctx context.Context, stream string) ([]event.Event, error)

	// Last returns the last event of a stream; the zero event if there is none.
	Last(ctx context.Context, stream string) (event.Event, error)
}

// Journal is where an effect is known outside of the log's database before it
// begins: an eventlog.Journal.
type Journal interface {
	// Record writes events as the log holds them, and returns once they are
	// durable.
	Record(ctx context.Context, events ...event.Event) error
}

// Sealer hides personal data before it reaches the log, and shows it again: a
// vault.Vault.
type Sealer interface {
	// SealFields returns the JSON of v with its sensitive fields sealed by
	// the account's key.
	SealFields(ctx context.Context, account string, v any) (json.RawMessage, error)

	// SealValue returns what stands in JSON where the whole of v is sealed.
	SealValue(ctx context.Context, account string, v any) (json.RawMessage, error)

	// OpenFields returns JSON that either of the others made, in clear.
	OpenFields(ctx context.Context, account string, raw json.RawMessage) (json.RawMessage, error)

	// Fingerprint returns a text that stands for parts that may not be shown, the
	// same in every process.
	Fingerprint(ctx context.Context, parts ...string) (string, error)
}

// Recorder records the commands of a service.
type Recorder struct {
	Log      Log
	Journal  Journal
	Sealer   Sealer
	Register *Register
	Instance *Instance

	// Site returns the name and the content hash of the site that the command
	// of ctx is carried out at.
	Site func(ctx context.Context) (name, hash string)
	// User returns a fingerprint of who the account of ctx's command signs in as
	// there, the same for all accounts that are linked with one user. Writes are
	// kept apart by it. It may be empty where that cannot matter.
	User func(ctx context.Context) (string, error)

	// Late is told of each effect that has appeared after it had been settled that
	// there was none, once that is recorded. It may be nil.
	Late func(command string)

	patience time.Duration // with a vault that cannot be reached; 0: defaultPatience
}

// Middleware records every command of an operation, from accepted to the end.
func (r Recorder) Middleware(op contracts.Info) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			c, err := r.newCommand(ctx, op)
			if err != nil {
				return nil, err
			}
			switch s, err := r.begin(ctx, c, request); {
			case err != nil:
				return nil, err
			case s != nil:
				return r.await(ctx, *s)
			}
			defer r.Instance.done(c.ID)
			result, err := r.carryOut(ctx, c, next, request)
			return r.end(ctx, c, result, c.withOutcome(err))
		}
	}
}

// begin records that the command will be carried out, here: for the first time,
// or once more where all attempts before did nothing. Where it is, or was, carried
// out by another request, begin returns its story.
func (r Recorder) begin(ctx context.Context, c *Command, request any) (*story, error) {
	for again := false; ; again = true {
		err := r.accept(ctx, c, request)
		if err == nil {
			return nil, nil
		}
		if !errors.Is(err, eventlog.ErrConflict) {
			return nil, unaccepted(err)
		}
		s, err := r.find(ctx, c, request)
		if err != nil || again || !s.repeatable() { // again: another repeat was faster
			return &s, err
		}
		c.version, c.attempt, c.written = s.version(), s.attempt+1, s.events
	}
}

// accept records that the command will be carried out, here. Should that be in
// the log in spite of an error, recovery ends the command.
func (r Recorder) accept(ctx context.Context, c *Command, request any) (err error) {
	r.Instance.begin(c.ID)
	defer func() {
		if err != nil {
			r.Instance.done(c.ID)
		}
	}()
	if !r.Instance.Holds(c.instanceID) {
		return errors.New("the lease of this instance has expired, and is not renewed yet")
	}
	sealed, err := r.Sealer.SealFields(ctx, c.Account, request)
	if err != nil {
		return err
	}
	if len(sealed) > maxResult {
		return contracts.Errorf(contracts.Invalid, "the request is too long to be recorded, by about %d bytes", len(sealed)-maxResult)
	}
	if c.Operation.Effect != contracts.NoEffect && c.Account != "" {
		if c.user, err = r.User(ctx); err != nil {
			return err
		}
	}
	if c.content, err = r.contentOf(ctx, c, request); err != nil {
		return err
	}
	site, hash := r.Site(ctx)
	return c.record(ctx, event.CommandAccepted{
		Request: sealed, Site: site, SiteHash: hash, Effect: c.Operation.Effect, User: c.user, Instance: c.instanceID,
		Content: c.content, Risk: c.risk,
	})
}

// carryOut has the operation carried out once it is the command's turn.
func (r Recorder) carryOut(ctx context.Context, c *Command, next endpoint.Endpoint, request any) (any, error) {
	if c.Operation.Effect != contracts.NoEffect {
		if err := r.leaseUser(ctx, c); err != nil {
			return nil, err
		}
		if err := r.refuseDuplicate(ctx, c); err != nil {
			return nil, err
		}
	}
	return next(context.WithValue(ctx, contextKey{}, c), request)
}

// unaccepted is the answer when a command could not be recorded as accepted. It
// does not say that nothing was done: the request may be a repeat.
func unaccepted(err error) error {
	e := contracts.Error{Kind: contracts.Unavailable, Message: "the request could not be recorded", RetryAfter: time.Second, Err: err}
	if known := (*contracts.Error)(nil); errors.As(err, &known) {
		e = *known
	} else if errors.Is(err, vault.ErrErased) {
		e = *contracts.Errorf(contracts.Unauthorized, "the account is erased")
	}
	e.Outcome = contracts.NotBegun
	return &e
}
