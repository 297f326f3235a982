package audit_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
)

// doubt appends the story of a command whose effect is in doubt.
func (b *bundle) doubt(t *testing.T, integration, account string) (id string) {
	t.Helper()
	id = uuid.NewString()
	events := []event.Event{
		of(t, id, account, event.CommandAccepted{Request: b.seal(t, account), Site: "sandbox", SiteHash: "5f70", Effect: contracts.Order}),
		of(t, id, account, event.EffectStarted{Effect: contracts.Order, Vars: b.seal(t, account)}),
		of(t, id, account, event.EffectUnknown{Message: "the browser crashed"}),
	}
	for i := range events {
		events[i].Integration = integration
	}
	b.append(t, event.CommandStream(id), 0, events...)
	return id
}

// integrate runs a service of an integration that settles commands by method,
// until the test ends.
func (b *bundle) integrate(t *testing.T, integration string, method func(context.Context, *api.SettleRequest) (*api.Settlement, error)) {
	t.Helper()
	srv := bus.NewServer(bus.Config{Name: integration, Version: "1.0.0", Workers: 1, Logger: b.logger()})
	bus.Handle(srv, api.Settle(integration), method)
	if err := srv.Start(b.nats); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testLimit)
		defer cancel()
		if err := srv.Drain(ctx); err != nil {
			t.Errorf("drain: %v", err)
		}
	})
}

// settled is what one call of an integration's service was.
type settled struct {
	integration string
	request     api.SettleRequest
	asking      bus.Identity
}

// settles runs a service that settles as it is told, or finds that the effect
// was applied, and notes each call.
func (b *bundle) settles(t *testing.T, integration string) <-chan settled {
	t.Helper()
	calls := make(chan settled, 10)
	b.integrate(t, integration, func(ctx context.Context, req *api.SettleRequest) (*api.Settlement, error) {
		found := event.EffectReconciled{Applied: true, By: event.ByFlow}
		if req.Applied != nil {
			found = event.EffectReconciled{Applied: *req.Applied, By: event.ByOperator}
		}
		end := event.CommandCompleted{Outcome: event.Succeeded, DurationMS: 7}
		if !found.Applied {
			end = event.CommandCompleted{Outcome: event.Failed, Kind: contracts.Unavailable, Message: "nothing was done", DurationMS: 7}
		}
		doubt, err := b.log.Stream(ctx, event.CommandStream(req.CommandID))
		if err != nil {
			return nil, err
		}
		_, err = b.log.Append(ctx, event.CommandStream(req.CommandID), doubt[2], of(t, req.CommandID, ann, found), of(t, req.CommandID, ann, end))
		if errors.Is(err, eventlog.ErrConflict) {
			return nil, contracts.Errorf(contracts.Invalid, "it is settled")
		}
		calls <- settled{integration, *req, bus.IdentityFrom(ctx)}
		return &api.Settlement{Applied: found.Applied}, err
	})
	return calls
}

func reconcile(id string, applied *bool, note string) *api.ReconcileCommandRequest {
	return &api.ReconcileCommandRequest{CommandID: id, Body: api.Statement{Applied: applied, Note: note}}
}

func TestOperatorSettlesACommandInDoubt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	calls := b.settles(t, "agency")
	b.integrate(t, "marketplace", func(context.Context, *api.SettleRequest) (*api.Settlement, error) {
		t.Error("another integration was asked")
		return &api.Settlement{}, nil
	})
	yes, no := true, false
	for name, c := range map[string]struct {
		applied                *bool
		note                   string
		state, effect, by, log string
	}{
		"by the flow": {nil, "", "succeeded", "reconciled-applied", "flow", "is to look"},
		"applied":     {&yes, "SECRET note", "succeeded", "reconciled-applied", "operator", "said=applied"},
		"not applied": {&no, "", "failed", "reconciled-not-applied", "operator", `said="not applied"`},
	} {
		t.Run(name, func(t *testing.T) {
			id := b.doubt(t, "agency", ann)
			got := call(t, b, api.ReconcileCommand, reconcile(id, c.applied, c.note))
			if got.CommandID != id || got.State != c.state || got.EffectState != c.effect || got.ReconciledBy != c.by || got.EndedAt == nil {
				t.Errorf("got %+v", got)
			}
			want := settled{
				integration: "agency",
				request:     api.SettleRequest{CommandID: id, Applied: c.applied, Note: c.note},
				asking:      bus.Identity{CommandID: "request-1", CallerID: contracts.AdminCaller},
			}
			select {
			case asked := <-calls:
				if diff := cmp.Diff(want, asked, cmp.AllowUnexported(settled{})); diff != "" {
					t.Errorf("the service was asked (-want +got):\n%s", diff)
				}
			default:
				t.Error("the service was not asked")
			}
			var noted string
			for line := range strings.SplitSeq(b.processLog.String(), "\n") {
				if strings.Contains(line, "settle="+id) {
					noted += line
				}
			}
			if !strings.Contains(noted, c.log) || !strings.Contains(noted, "by=admin request=request-1") {
				t.Errorf("the process log says: %s", noted)
			}
			// Settled once, it is in doubt no more.
			_, err := try(t, b, api.ReconcileCommand, reconcile(id, c.applied, c.note))
			wantKind(t, err, contracts.Invalid)
		})
	}
	if strings.Contains(b.processLog.String(), "SECRET") {
		t.Error("the note is in the process log")
	}
}

func TestOnlyACommandInDoubtIsSettled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	b.integrate(t, "marketplace", func(_ context.Context, req *api.SettleRequest) (*api.Settlement, error) {
		t.Errorf("asked to settle %s", req.CommandID)
		return &api.Settlement{}, nil
	})
	accepted, started := uuid.NewString(), uuid.NewString()
	b.append(t, event.CommandStream(accepted), 0, of(t, accepted, ann, event.CommandAccepted{}))
	b.append(t, event.CommandStream(started), 0, of(t, started, ann, event.CommandAccepted{}), of(t, started, ann, event.EffectStarted{}))
	for id, state := range map[string]string{accepted: "accepted", started: "effect-started", b.order(t, ann): "succeeded"} {
		_, err := try(t, b, api.ReconcileCommand, reconcile(id, nil, ""))
		wantKind(t, err, contracts.Invalid)
		if err == nil || !strings.Contains(err.Error(), state) {
			t.Errorf("%s: got %v", state, err)
		}
	}
	operators := uuid.NewString()
	b.append(t, event.AccountStream(bob), 0, of(t, operators, bob, event.AccountLinked{}))
	for _, id := range []string{uuid.NewString(), operators, "a\x00b"} {
		_, err := try(t, b, api.ReconcileCommand, reconcile(id, nil, ""))
		wantKind(t, err, contracts.NotFound)
	}
	if strings.Contains(b.processLog.String(), "settle=") {
		t.Error("it was noted that one is to be settled")
	}
}

func TestStatementThatCannotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := b.doubt(t, "marketplace", ann)
	yes := true
	for name, c := range map[string]*api.ReconcileCommandRequest{
		"a note about nothing": reconcile(id, nil, "it is there"),
		"a note too long":      reconcile(id, &yes, strings.Repeat("x", 2001)),
	} {
		_, err := try(t, b, api.ReconcileCommand, c)
		wantKind(t, err, contracts.Invalid)
		if err == nil || !strings.HasPrefix(err.Error(), "body.note") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// What the integration's service says is what the operator is told.
func TestCommandThatCannotBeSettledSaysWhy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := b.doubt(t, "marketplace", ann)
	_, err := try(t, b, api.ReconcileCommand, reconcile(id, nil, ""))
	wantKind(t, err, contracts.Unavailable)
	if err == nil || !strings.Contains(err.Error(), "the marketplace service is not running") {
		t.Errorf("without its service: got %v", err)
	}
	want := &contracts.Error{Kind: contracts.Unavailable, Message: "the application may still be at work; try again later", RetryAfter: 40 * time.Second}
	b.integrate(t, "marketplace", func(context.Context, *api.SettleRequest) (*api.Settlement, error) { return nil, want })
	_, err = try(t, b, api.ReconcileCommand, reconcile(id, nil, ""))
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if story := call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id}); story.Command.State != "effect-unknown" {
		t.Errorf("got %+v", story.Command)
	}
}

func TestReconcilingTakesLongerThanItsService(t *testing.T) {
	t.Parallel()
	if all, part := api.ReconcileCommand.Info().Timeout, api.Settle("agency").Info().Timeout+bus.ReplyMargin; all < part+5*time.Second {
		t.Errorf("it may take %v, and the service's answer %v", all, part)
	}
}
