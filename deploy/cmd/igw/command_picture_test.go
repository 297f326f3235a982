package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/vault"
)

// broken records a command of an account that broke off on a page, and keeps
// the picture.
func (h *history) broken(account string, v *vault.Vault) (command string) {
	h.Helper()
	command = uuid.NewString()
	text, err := json.Marshal(flow.Picture{Image: []byte("a JPEG"), Address: "https://shop.example/checkout", Near: []string{"button \"Order at once\" \x1b[2J"}})
	if err != nil {
		h.Fatal(err)
	}
	if err := v.PutPicture(h.Context(), account, command, text); err != nil {
		h.Fatal(err)
	}
	var all []event.Event
	for _, p := range []event.Payload{
		event.CommandAccepted{Request: json.RawMessage(`{}`)},
		event.CommandCompleted{Outcome: event.Failed, Picture: vault.PictureName(command)},
	} {
		e, err := event.New(p)
		if err != nil {
			h.Fatal(err)
		}
		e.Integration, e.Operation, e.Command, e.Account = "marketplace", "buy-now", command, account
		all = append(all, e)
	}
	if _, err := eventlog.New(h.pool).Append(h.Context(), event.CommandStream(command), event.Event{}, all...); err != nil {
		h.Fatal(err)
	}
	return command
}

func TestPictureIsWrittenForWhoHasTheVault(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	url := h.pool.Config().ConnString()
	if err := vault.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	const keeperURL = "base64key://smGbjm71Nxd1Ig5FS0wj9SlbzAIrnolCz9bQQ6uAhl4="
	v, err := vault.Open(t.Context(), h.pool, keeperURL)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	id := h.broken("a1", v)
	file := filepath.Join(t.TempDir(), "page.jpg")
	try := func(id string) output { return h.igw("command", "picture", id, "--output", file) }
	if got := try(id); got.code != exitFailed || !strings.Contains(got.stderr, "VAULT_KEEPER_URL") {
		t.Errorf("without the vault: %+v", got)
	}
	h.vars["VAULT_KEEPER_URL"], h.vars["VAULT_DATABASE_URL"] = keeperURL, schema.As(url, schema.Keeper)
	got := try(id)
	image, err := os.ReadFile(file)
	if err != nil || string(image) != "a JPEG" || got.code != exitOK {
		t.Fatalf("wrote %q, %v; %+v", image, err, got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if !strings.Contains(got.stdout, "https://shop.example/checkout") || !strings.Contains(got.stdout, `button "Order at once"`) || strings.Contains(got.stdout, "\x1b") {
		t.Errorf("printed %s", got.stdout)
	}
	for id, want := range map[string]string{
		"01a20000-0000-7000-8000-000000000001": "has no picture", // it succeeded
		uuid.NewString():                       "there is no command",
	} {
		if got := try(id); got.code != exitFailed || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", id, got)
		}
	}
	unlinked := h.broken("a2", v)
	if err := v.CloseAccount(t.Context(), "a2"); err != nil {
		t.Fatal(err)
	}
	if got := try(unlinked); got.code != exitFailed || !strings.Contains(got.stderr, "not there any more") {
		t.Errorf("of an unlinked account: %+v", got)
	}
	if err := v.Erase(t.Context(), "a1"); err != nil {
		t.Fatal(err)
	}
	if got := try(id); got.code != exitFailed || !strings.Contains(got.stderr, "is erased") {
		t.Errorf("of an erased account: %+v", got)
	}
}

func TestShowTellsThatThereIsAPicture(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(_, res any) error {
		*res.(*audit.CommandStory) = audit.CommandStory{Command: &audit.Command{CommandID: "c1", State: "failed", Picture: "picture/c1"}, Events: []audit.Event{}}
		return nil
	})
	if got := e.igw(t, "", nil, "command", "show", "c1"); !strings.Contains(got.stdout, "igw command picture c1 --output") {
		t.Errorf("got %+v", got)
	}
}
