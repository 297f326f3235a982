package audit

import (
	"context"
	"errors"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/pkg/readmodel"
)

// ListSessions lists sessions, the newest first.
func (s *Service) ListSessions(ctx context.Context, req *audit.ListSessionsRequest) (*audit.Sessions, error) {
	limit, err := limitOf(req.Limit)
	if err != nil {
		return nil, err
	}
	// One more than wanted tells whether there is a next part.
	found, err := readmodel.Sessions(ctx, s.pool, readmodel.SessionFilter{
		Integration: req.Integration, Caller: req.CallerID, Account: req.AccountID,
		State: readmodel.SessionState(req.State), Before: req.After,
	}, limit+1)
	if errors.Is(err, readmodel.ErrNoRow) {
		return nil, contracts.Errorf(contracts.Invalid, "query.after names no session of the list; leave it out for the first part")
	}
	if err != nil {
		return nil, err
	}
	part := &audit.Sessions{Sessions: []audit.Session{}}
	left := room{answerBytes}
	for _, row := range found {
		entry := session(row)
		fits, err := left.takes(entry)
		if err != nil {
			return nil, err
		}
		if count := len(part.Sessions); count == limit || !fits && count > 0 {
			part.Next = part.Sessions[count-1].SessionID
			break
		}
		part.Sessions = append(part.Sessions, entry)
	}
	return part, nil
}

// session returns a session as answers have it.
func session(s readmodel.Session) audit.Session {
	return audit.Session{
		SessionID: s.ID, Integration: s.Integration, Site: s.Site, CommandID: s.Command, CallerID: s.Caller, AccountID: s.Account,
		State: string(s.State), OpenedAt: s.OpenedAt, Expires: s.Expires, Attached: s.Attached, Clients: s.Clients(),
		AttachedAt: s.AttachedAt, ClosedAt: s.ClosedAt, Reason: s.Reason, Problem: s.Problem,
	}
}
