package integration

import (
	"context"
	"errors"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
)

// settleByHand serves audit.Settle: it settles a command in doubt as a person
// says, or has the reconcile flow look at once.
func (r *reconciler) settleByHand(ctx context.Context, req *audit.SettleRequest) (*audit.Settlement, error) {
	d, err := r.recorder.Doubt(ctx, req.CommandID)
	if err != nil {
		return nil, unsettled(err)
	}
	if req.Applied == nil {
		applied, err := r.byFlow(ctx, d)
		if err != nil {
			return nil, unsettled(err)
		}
		return &audit.Settlement{Applied: applied}, nil
	}
	if d.Late && !*req.Applied {
		return nil, contracts.Errorf(contracts.Invalid, "command %s is settled as not applied already", d.ID)
	}
	v := command.Verdict{Applied: *req.Applied, By: event.ByOperator}
	if req.Note != "" {
		v.Evidence = map[string]string{"note": req.Note}
	}
	if err := r.recorder.Settle(ctx, d, v); err != nil {
		return nil, unsettled(err)
	}
	return &audit.Settlement{Applied: v.Applied}, nil
}

// unsettled gives words to what kept a command from being read or settled.
func unsettled(err error) error {
	if known := (*contracts.Error)(nil); errors.As(err, &known) {
		return err
	}
	return &contracts.Error{
		Kind: contracts.Unavailable, Message: "the command could not be read or settled", RetryAfter: time.Second, Err: err,
	}
}
