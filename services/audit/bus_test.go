package audit_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
	"integration.gateway/pkg/settings"
	"integration.gateway/services/audit"
)

// wantKind fails the test unless err is a *contracts.Error of the kind.
func wantKind(t *testing.T, err error, kind contracts.Kind) {
	t.Helper()
	var e *contracts.Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Errorf("got %v, want an error of kind %s", err, kind)
	}
}

func TestServiceKeepsTheLogAndAnswersForIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	id := b.order(t, ann)

	var state *api.LogState
	eventually(t, func() bool {
		state = call(t, b, api.GetLog, &api.GetLogRequest{})
		return state.Copied == 5 && state.Projected == 5 && state.Checkpoint != nil && state.Checkpoint.Size == 5 && len(state.Problems) == 0
	})
	if state.Head != 5 || state.Unsequenced != 0 || state.Checkpoint.Verifier != b.verifier {
		t.Errorf("got %+v", state)
	}
	checkpoint, err := proof.OpenCheckpoint([]byte(state.Checkpoint.Text), b.verifier)
	if err != nil || checkpoint.Size != 5 {
		t.Errorf("got %+v, %v", checkpoint, err)
	}

	listed := call(t, b, api.ListCommands, &api.ListCommandsRequest{})
	want := []api.Command{{
		CommandID: id, Integration: "marketplace", Operation: "buy-now", CallerID: "caller-1", AccountID: ann, Site: "sandbox", SiteHash: "5f70",
		State: "succeeded", Effect: "order", EffectState: "confirmed", Events: 4, FirstSeq: 1, LastSeq: 5,
	}}
	times := cmpopts.IgnoreFields(api.Command{}, "AcceptedAt", "EndedAt", "DurationMS")
	if diff := cmp.Diff(want, listed.Commands, times); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	events := call(t, b, api.ListEvents, &api.ListEventsRequest{Type: event.TypeAccountSignedIn})
	if len(events.Events) != 1 || events.Events[0].Seq != 2 || events.Events[0].CommandID != id {
		t.Errorf("got %+v", events)
	}
	story := call(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: id})
	if diff := cmp.Diff(&listed.Commands[0], story.Command); diff != "" {
		t.Errorf("the story's command is not the listed one (-want +got):\n%s", diff)
	}
	for _, secret := range []string{b.key, b.keeperURL, "PRIVATE"} {
		if strings.Contains(b.processLog.String(), secret) {
			t.Errorf("%s is in the process log", secret)
		}
	}
}

func TestWrongKeyIsRefusedAndNotShown(t *testing.T) {
	t.Parallel()
	private, verifier, err := proof.GenerateKey("log.test")
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]map[string]string{
		"missing":           {},
		"empty":             {"CHECKPOINT_KEY": ""},
		"the verifier":      {"CHECKPOINT_KEY": verifier},
		"cut off":           {"CHECKPOINT_KEY": private[:len(private)-4]},
		"too few events":    {"CHECKPOINT_KEY": private, "CHECKPOINT_EVENTS": "0"},
		"no time":           {"CHECKPOINT_KEY": private, "CHECKPOINT_AGE": "0s"},
		"not a time at all": {"CHECKPOINT_KEY": private, "CHECKPOINT_AGE": private},
	} {
		_, err := settings.FromMap[audit.Config](wrong)
		if err == nil || !strings.Contains(err.Error(), "CHECKPOINT_") || strings.Contains(err.Error(), private[20:40]) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	c, err := settings.FromMap[audit.Config](map[string]string{"CHECKPOINT_KEY": private})
	if err != nil || c.CheckpointEvents != 1000 || c.CheckpointAge != 10*time.Second {
		t.Errorf("got %d, %v, %v", c.CheckpointEvents, c.CheckpointAge, err)
	}
}

func TestEveryOperationIsListedAndWhatChangesAnythingIsNoRead(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, entry := range api.Operations {
		info := entry.Info()
		route := info.Method + " " + info.Path
		access := contracts.AdminToken
		switch info.Name {
		case "get-command", "get-session", "stop-session":
			access = contracts.CallerOrAdmin
		}
		path := "/admin/v1/"
		if info.Name == "stop-session" {
			path = "/sessions/" // where the session is found, and so where it is ended
		}
		if info.Access != access || !strings.HasPrefix(info.Path, path) || seen[route] {
			t.Errorf("%s: %s with access %d", info.Name, route, info.Access)
		}
		reads := info.Name != "reconcile-command" && info.Name != "stop-session"
		if reads != (info.Method == http.MethodGet) || reads != (info.Effect == contracts.NoEffect) {
			t.Errorf("%s: %s with effect %q", info.Name, info.Method, info.Effect)
		}
		seen[route] = true
		req, res := entry.New()
		contracts.FillExample(req) // panics when an example does not fit
		contracts.FillExample(res)
		if v, ok := req.(contracts.Validator); ok && v.Validate() != nil {
			t.Errorf("the example of %s is not valid: %v", info.Name, v.Validate())
		}
	}
}

func TestQueriesThatCannotFitAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(t)
	now := time.Now()
	for name, req := range map[string]*api.ListEventsRequest{
		"times the wrong way around": {Since: now, Until: now},
		"a control character":        {CallerID: "a\x00b"},
		"too many":                   {Limit: 501},
		"too few":                    {Limit: -1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := try(t, b, api.ListEvents, req)
			wantKind(t, err, contracts.Invalid)
			_, err = try(t, b, api.ListCommands, &api.ListCommandsRequest{Since: req.Since, Until: req.Until, After: req.CallerID, Limit: req.Limit})
			wantKind(t, err, contracts.Invalid)
		})
	}
	_, err := try(t, b, api.ListCommands, &api.ListCommandsRequest{After: uuid.NewString()})
	wantKind(t, err, contracts.Invalid)
	_, err = try(t, b, api.GetCommand, &api.GetCommandRequest{CommandID: "a\x00b"})
	wantKind(t, err, contracts.NotFound)
}
