package audit

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"integration.gateway/contracts/audit"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/readmodel"
)

// GetLog tells how far the log and what is made of it have come.
func (s *Service) GetLog(ctx context.Context, _ *audit.GetLogRequest) (*audit.LogState, error) {
	// What follows the log is read before it, so that it is never ahead.
	projected, err := readmodel.Projected(ctx, s.pool)
	if err != nil {
		return nil, err
	}
	checkpoint, err := s.lastCheckpoint(ctx)
	if err != nil {
		return nil, err
	}
	state, err := eventlog.State(ctx, s.pool, s.nats, eventlog.DefaultStream)
	if err != nil {
		return nil, err
	}
	return &audit.LogState{
		Head: state.Head, Unsequenced: state.Unsequenced, Copied: state.Copied, Projected: projected,
		Checkpoint: checkpoint, Problems: s.problemsOf(state),
	}, nil
}

// CheckLog tells whether the log takes events.
func (s *Service) CheckLog(ctx context.Context, _ *audit.CheckLogRequest) (*audit.LogHealth, error) {
	open, err := s.log.Open(ctx)
	if err != nil {
		return nil, err
	}
	if !open {
		return &audit.LogHealth{Problem: eventlog.ErrClosed.Error()}, nil
	}
	return &audit.LogHealth{}, nil
}

func (s *Service) lastCheckpoint(ctx context.Context) (*audit.Checkpoint, error) {
	c, err := s.log.LastCheckpoint(ctx)
	if errors.Is(err, eventlog.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &audit.Checkpoint{
		Size: c.Size, Root: base64.StdEncoding.EncodeToString(c.Root), Verifier: c.Verifier, SignedAt: c.SignedAt, Text: string(c.Note),
	}, nil
}

// problemsOf returns what keeps the log from going on, or this process from
// taking its part, each thing once.
func (s *Service) problemsOf(state eventlog.LogState) []string {
	problems := []string{}
	seen := map[string]bool{"": true}
	note := func(text string) {
		for line := range strings.SplitSeq(text, "\n") {
			if !seen[line] {
				seen[line] = true
				problems = append(problems, line)
			}
		}
	}
	if !state.Led {
		note(fmt.Sprintf("no audit service leads, so that %d events have no place in the log yet", state.Unsequenced))
	}
	note(state.Problem)
	for _, problem := range s.problems {
		if err := problem(); err != nil {
			note(err.Error())
		}
	}
	return problems
}
