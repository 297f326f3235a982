package main

import (
	"context"
	"fmt"
	"strings"

	"integration.gateway/contracts/audit"
)

type auditStatus struct{}

func (c *auditStatus) Run(ctx context.Context, gateway *client, p *printer) error {
	state, err := call(ctx, gateway, audit.GetLog, &audit.GetLogRequest{})
	if err != nil {
		return err
	}
	checkpoint := "none yet"
	if state.Checkpoint != nil {
		checkpoint = fmt.Sprintf("size %d, signed %s", state.Checkpoint.Size, when(&state.Checkpoint.SignedAt))
	}
	problems := "none"
	if len(state.Problems) > 0 {
		problems = strings.Join(state.Problems, "; ")
	}
	return p.record(state,
		"events in order", fmt.Sprint(state.Head), "waiting for their place", fmt.Sprint(state.Unsequenced),
		"copied to JetStream", fmt.Sprint(state.Copied), "counted in read models", fmt.Sprint(state.Projected),
		"last checkpoint", checkpoint, "problems", problems)
}
