package audit

import (
	"context"
	"errors"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/holder"
	"integration.gateway/pkg/readmodel"
)

var errNoSession = contracts.Errorf(contracts.NotFound, "there is no such session")

// GetSession tells what the log says of a session at this moment: to the
// operator, and to the caller that it was opened for.
func (s *Service) GetSession(ctx context.Context, req *audit.SessionRequest) (*audit.Session, error) {
	stream := event.SessionStream(req.SessionID)
	if event.ValidateStream(stream) != nil {
		return nil, errNoSession // none can have such an id
	}
	events, err := s.log.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	var row readmodel.Session
	for _, e := range events {
		_ = row.Apply(e) // the session names it as its Problem
	}
	asking := bus.IdentityFrom(ctx).CallerID
	if row.Events == 0 || asking != contracts.AdminCaller && (asking == "" || asking != row.Caller) {
		return nil, errNoSession // nobody learns that another caller's is there
	}
	shown := session(row)
	return &shown, nil
}

// StopSession has the process end a session that holds its browser. When none
// does, the session has ended or its process has died, and is told as the log
// has it: somebody else records the end.
func (s *Service) StopSession(ctx context.Context, req *audit.SessionRequest) (*audit.Session, error) {
	found, err := s.GetSession(ctx, req)
	if err != nil || found.State == string(readmodel.Closed) {
		return found, err
	}
	asking := bus.IdentityFrom(ctx)
	reason := event.SessionReleased
	if asking.CallerID == contracts.AdminCaller {
		reason = event.SessionStopped
	}
	s.logger.InfoContext(ctx, "a session is to be stopped", "session", found.SessionID, "reason", reason, "by", asking.CallerID, "request", asking.CommandID)
	if err := holder.Stop(ctx, s.nats, found.SessionID, reason); err != nil && !errors.Is(err, holder.ErrNone) {
		return nil, &contracts.Error{
			Kind: contracts.Unavailable, Err: err, RetryAfter: time.Second,
			Message: "it is not known yet whether the session has ended",
		}
	}
	return s.GetSession(ctx, req)
}
