// Package sites_test plays the flow of the professional-network integration's
// sandbox site on a real browser at the real stand-in.
package sites_test

import (
	"os"
	"strings"
	"testing"

	contracts "integration.gateway/contracts/professionalnetwork"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/professionalnetwork/sandbox"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// member is a user of a network of its own.
type member struct {
	*sandbox.Site
	*flowtest.Player
}

// TestFlows shares one member: its tests come one after the other, each where the
// last one has left the user.
func TestFlows(t *testing.T) {
	t.Parallel()
	m := visit(t)
	t.Run("texts arrive as they are", m.textsArrive)
	t.Run("the longest text arrives", m.longestText)
	t.Run("signed out in the middle", m.signedOut)
	t.Run("a thread that does not come", m.noThread)
	t.Run("signed out by the message", m.signedOutByMessage)
	t.Run("older equal texts are not taken", m.lostRequest)
	t.Run("a lost answer is found in the thread", m.lostAnswer)
	t.Run("behind many newer messages", m.buriedMessage)
}

// visit gives Jane a network of her own.
func visit(t *testing.T) member {
	t.Helper()
	site := flowtest.LoadSite(t, os.DirFS("sandbox"), flowtest.Patient, contracts.Operations...)
	app := sandbox.New()
	return member{app, flowtest.Visit(t, flowtest.OpenPool(t), site, app, sandbox.Jane.Username, sandbox.Jane.Password)}
}

func message(to, content string) map[string]any { return map[string]any{"to": to, "content": content} }

// sends has the member send a text that must be there once, as it is.
func (m member) sends(t *testing.T, to, content, want string) {
	t.Helper()
	before := len(m.State().Sent)
	m.Gives(t, "send-message", message(to, content))
	sent := m.State().Sent[before:]
	if len(sent) != 1 || sent[0].To != to || sent[0].Text != want {
		t.Errorf("sent %+v, want %q to %s", sent, want, to)
	}
}

// The overlay comes back with the last conversation, to which the next text
// must not go.
func (m member) textsArrive(t *testing.T) {
	for i, text := range []string{
		"Thank you!",
		"Thank you!", // an earlier message says the same
		"\n\nDear \"Amara\",\n\n\n\tit's <b>5 > 3</b> & done;  two  blanks \n",
		"😀 👩🏽‍🚀 🇵🇹 e\u0301 العربية \u200b{{ to }} {{ command.id }} */ --",
	} {
		m.sends(t, []string{sandbox.Talkative, sandbox.Newcomer}[i%2], text, text)
	}
	m.sends(t, sandbox.Namesake, "a\r\n\r\nb", "a\n\nb")
}

func (m member) longestText(t *testing.T) {
	text := strings.Repeat("A line of forty characters, dot by dot.\n", 200)
	text = text[:len(text)-1] + "!"
	m.sends(t, sandbox.Namesake, text, text)
}

func (m member) lostAnswer(t *testing.T) {
	before := len(m.State().Sent)
	m.SetFaults(kit.Losing("POST", "/api/threads/*", kit.After))
	a := m.InDoubt(t, "send-message", message(sandbox.Newcomer, "Are you \"there\"?\r\nYes?"))
	m.SetFaults(kit.Faults{})
	verdict := m.Reconcile(t, a)
	sent := m.State().Sent[before:]
	if !verdict.Applied || len(sent) != 1 {
		t.Fatalf("verdict %+v, sent %+v", verdict, sent)
	}
	flowtest.Equal(t, verdict.Evidence, map[string]any{"status": "ok", "messageId": sent[0].ID})
}

// The same text was sent before, and is in the thread from before the start.
func (m member) lostRequest(t *testing.T) {
	m.Gives(t, "send-message", message(sandbox.Namesake, "Thank you!"))
	m.SetFaults(kit.Losing("POST", "/api/threads/*", kit.Before))
	a := m.InDoubt(t, "send-message", message(sandbox.Namesake, "Thank you!"))
	m.SetFaults(kit.Faults{})
	m.Gives(t, "send-message", message(sandbox.Namesake, "Thank you"))
	if m.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}

// The overlay shows twenty messages at first.
func (m member) buriedMessage(t *testing.T) {
	m.SetFaults(kit.Losing("POST", "/api/threads/*", kit.After))
	a := m.InDoubt(t, "send-message", message(sandbox.Namesake, "First"))
	m.SetFaults(kit.Faults{})
	for range 21 {
		m.Say(sandbox.Namesake, "Later")
	}
	if !m.Reconcile(t, a).Applied {
		t.Error("not applied, want applied")
	}
}

func (m member) signedOut(t *testing.T) {
	m.sends(t, sandbox.Newcomer, "One", "One")
	before := m.SignIns
	m.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Method: "GET", Path: "/api/threads/*", Times: 1}}})
	m.sends(t, sandbox.Newcomer, "Two", "Two")
	if n := m.SignIns - before; n != 1 {
		t.Errorf("signed in %d times, want once more", n)
	}
}

func (m member) signedOutByMessage(t *testing.T) {
	m.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Method: "POST", Path: "/api/threads/*"}}})
	a := m.InDoubt(t, "send-message", message(sandbox.Newcomer, "Hello"))
	m.SetFaults(kit.Faults{})
	if m.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}

func (m member) noThread(t *testing.T) {
	m.SetFaults(kit.Losing("GET", "/api/threads/*", kit.Before))
	m.Refuses(t, "send-message", message(sandbox.Newcomer, "Hello"), flow.Unavailable, "This conversation cannot be shown at present.")
	m.SetFaults(kit.Faults{})
}
