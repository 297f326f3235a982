package audit

import (
	"context"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/readmodel"
)

// ReconcileCommand has a command in doubt settled by the service of its
// integration, which alone may go on with the command's stream, or one looked at
// again whose effect was found not to have happened.
func (s *Service) ReconcileCommand(ctx context.Context, req *audit.ReconcileCommandRequest) (*audit.Command, error) {
	c, err := s.lookUp(ctx, req.CommandID)
	if err != nil {
		return nil, err
	}
	if c.State != string(readmodel.EffectUnknown) && c.EffectState != string(readmodel.ReconciledNotApplied) {
		return nil, contracts.Errorf(contracts.Invalid, "the command is not in doubt, so that there is nothing to settle: its state is %s", c.State)
	}
	asking := bus.IdentityFrom(ctx)
	s.logger.InfoContext(ctx, "a command in doubt is to be settled", "settle", c.CommandID, "said", said(req.Body.Applied),
		"by", asking.CallerID, "request", asking.CommandID)
	settle := &audit.SettleRequest{CommandID: c.CommandID, Applied: req.Body.Applied, Note: req.Body.Note}
	if err := bus.Call(ctx, s.nats, audit.Settle(c.Integration).Info(), settle, new(audit.Settlement)); err != nil {
		return nil, err
	}
	return s.lookUp(ctx, req.CommandID)
}

// said names a person's statement in the process log.
func said(applied *bool) string {
	switch {
	case applied == nil:
		return "nothing; the site's reconcile flow is to look"
	case *applied:
		return "applied"
	default:
		return "not applied"
	}
}

// lookUp returns a command as the log has it at this moment.
func (s *Service) lookUp(ctx context.Context, id string) (*audit.Command, error) {
	stream := event.CommandStream(id)
	if event.ValidateStream(stream) != nil {
		return nil, errNoCommand // none can have such an id
	}
	events, err := s.log.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	c := addUp(id, events)
	if c == nil {
		return nil, errNoCommand
	}
	return c, nil
}
