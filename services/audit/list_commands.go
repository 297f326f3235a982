package audit

import (
	"context"
	"errors"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/pkg/readmodel"
)

// ListCommands lists commands, the newest first.
func (s *Service) ListCommands(ctx context.Context, req *audit.ListCommandsRequest) (*audit.Commands, error) {
	limit, err := limitOf(req.Limit)
	if err != nil {
		return nil, err
	}
	// One more than wanted tells whether there is a next part.
	found, err := readmodel.Commands(ctx, s.pool, readmodel.CommandFilter{
		Integration: req.Integration, Operation: req.Operation, Caller: req.CallerID, Account: req.AccountID,
		State: readmodel.State(req.State), Since: req.Since, Until: req.Until, Before: req.After,
	}, limit+1)
	if errors.Is(err, readmodel.ErrNoRow) {
		return nil, contracts.Errorf(contracts.Invalid, "query.after names no command of the list; leave it out for the first part")
	}
	if err != nil {
		return nil, err
	}
	part := &audit.Commands{Commands: []audit.Command{}}
	left := room{answerBytes}
	for _, c := range found {
		entry := command(c)
		fits, err := left.takes(entry)
		if err != nil {
			return nil, err
		}
		if count := len(part.Commands); count == limit || !fits && count > 0 {
			part.Next = part.Commands[count-1].CommandID
			break
		}
		part.Commands = append(part.Commands, entry)
	}
	return part, nil
}

// command returns a command as answers have it.
func command(c readmodel.Command) audit.Command {
	return audit.Command{
		CommandID: c.ID, Integration: c.Integration, Operation: c.Operation, CallerID: c.Caller, AccountID: c.Account,
		Site: c.Site, SiteHash: c.SiteHash, State: string(c.State), Effect: string(c.Effect), EffectState: string(c.EffectState),
		ReconciledBy: c.ReconciledBy, FailureKind: string(c.FailureKind), Failure: c.Failure, Picture: c.Picture, AcceptedAt: c.AcceptedAt, EndedAt: c.EndedAt,
		DurationMS: c.Duration().Milliseconds(), Events: c.Events, FirstSeq: c.FirstSeq, LastSeq: c.LastSeq, Problem: c.Problem,
	}
}
