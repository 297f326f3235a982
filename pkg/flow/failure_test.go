package flow_test

import (
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/pkg/flow"
)

func TestFailureForCaller(t *testing.T) {
	t.Parallel()
	const step = "op.yaml step 2 (click #a): text"
	const inDoubt = step + "; its effect had been started"
	for _, c := range []struct {
		failure flow.Failure
		kind    contracts.Kind
		message string
	}{
		{flow.Failure{}, contracts.Fault, step},
		{flow.Failure{EffectStarted: true}, contracts.Unknown, inDoubt},
		{flow.Failure{EffectStarted: true, Declared: true, Outcome: flow.Rejected}, contracts.Rejected, "text"},
		{flow.Failure{EffectStarted: true, Outcome: flow.SignedOut}, contracts.Unknown, inDoubt},
		{flow.Failure{EffectStarted: true, Declared: true, Outcome: flow.SignedOut}, contracts.Unknown, inDoubt},
		{flow.Failure{Declared: true, Outcome: flow.Precondition}, contracts.Invalid, "text"},
		{flow.Failure{Declared: true, Outcome: flow.Invalid}, contracts.Invalid, "text"},
		{flow.Failure{Declared: true, Outcome: flow.NotFound}, contracts.NotFound, "text"},
		{flow.Failure{Declared: true, Outcome: flow.Unavailable}, contracts.Unavailable, "text"},
		{flow.Failure{Outcome: flow.SignedOut}, contracts.Unavailable, step},
		{flow.Failure{EffectStarted: true, NotActed: true}, contracts.Fault, step},
	} {
		c.failure.Message, c.failure.File, c.failure.Step, c.failure.Name = "text", "op.yaml", "2", "click #a"
		for _, quotes := range []bool{false, true} {
			c.failure.Quotes = quotes
			if got := c.failure.ForCaller(); got.Kind != c.kind || got.Message != c.message || got.Quotes != quotes {
				t.Errorf("%+v becomes %+v", c.failure, got)
			}
		}
	}
}
