package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
)

type commandCommands struct {
	List      commandList      `cmd:"" help:"List commands, the newest first."`
	Show      commandShow      `cmd:"" help:"Show one command's whole story."`
	Picture   commandPicture   `cmd:"" help:"Write how the page looked on which a command broke off (needs DATABASE_URL and VAULT_KEEPER_URL)."`
	Reconcile commandReconcile `cmd:"" help:"Settle a command in doubt: have the site's reconcile flow look now, or say what happened."`
}

type commandList struct {
	Integration string `help:"Only commands of this integration."`
	Operation   string `help:"Only commands of this operation."`
	Caller      string `help:"Only commands of this caller."`
	Account     string `help:"Only commands on this account."`
	State       string `help:"Only commands in this state, such as effect-unknown: those in doubt."`
	Since       moment `help:"Only commands accepted from this moment on: 2026-01-31, 2026-01-31T10:00:00Z, or 36h for so long ago." placeholder:"TIME"`
	Until       moment `help:"Only commands accepted before this moment." placeholder:"TIME"`
	Limit       int    `help:"Show at most so many; 0 for all." default:"100"`
}

// inDoubt is the state of a command that can be reconciled.
const inDoubt = "effect-unknown"

// commandPart is the number of commands that are asked for at once.
const commandPart = 500

func (c *commandList) Run(ctx context.Context, gateway *client, p *printer) error {
	req := audit.ListCommandsRequest{
		Integration: c.Integration, Operation: c.Operation, CallerID: c.Caller, AccountID: c.Account, State: c.State,
		Since: time.Time(c.Since), Until: time.Time(c.Until),
	}
	found := []audit.Command{}
	for c.Limit == 0 || len(found) < c.Limit {
		req.Limit = commandPart
		if c.Limit > 0 {
			req.Limit = min(commandPart, c.Limit-len(found))
		}
		part, err := call(ctx, gateway, audit.ListCommands, &req)
		if err != nil {
			return err
		}
		found = append(found, part.Commands...)
		if part.Next == "" {
			break
		}
		req.After = part.Next
	}
	header := []string{"COMMAND", "ACCEPTED", "OPERATION", "STATE", "EFFECT", "TOOK", "WHY"}
	return list(p, found, header, func(c audit.Command) []string {
		return []string{c.CommandID, when(&c.AcceptedAt), c.Integration + "." + c.Operation, c.State, effectOf(c), took(c), c.Failure}
	})
}

// effectOf says what became of a command's effect, and who says so where it was
// in doubt.
func effectOf(c audit.Command) string {
	found := map[string]string{
		"reconciled-applied": "applied", "reconciled-not-applied": "not applied", "found-late": "applied late",
	}[c.EffectState]
	switch {
	case c.EffectState == "unknown":
		return "in doubt"
	case found == "":
		return c.EffectState
	}
	switch c.ReconciledBy {
	case event.ByFlow:
		return found + ", says the reconcile flow"
	case event.ByOperator:
		return found + ", says an operator"
	case event.ByCommand:
		return found + ", says its service"
	default:
		return found
	}
}

// took is how long a command took, empty until it has ended.
func took(c audit.Command) string {
	if c.EndedAt == nil {
		return ""
	}
	return (time.Duration(c.DurationMS) * time.Millisecond).String()
}

type commandShow struct {
	Command string `arg:"" help:"Id of the command: the header Command-Id of its answer."`
	Open    bool   `help:"Show personal data in clear, as far as the account is not erased."`
}

func (c *commandShow) Run(ctx context.Context, gateway *client, p *printer) error {
	story, err := call(ctx, gateway, audit.GetCommand, &audit.GetCommandRequest{CommandID: c.Command, Open: c.Open})
	if err != nil {
		return err
	}
	if p.json {
		return p.encode(story)
	}
	if story.Command != nil {
		if err := p.record(nil, commandFields(*story.Command)...); err != nil {
			return err
		}
		fmt.Fprintln(p.w)
	}
	return printStory(p, story.Events)
}

func commandFields(c audit.Command) []string {
	effect := c.Effect
	if effect != "" {
		effect += ": " + effectOf(c)
	}
	settle := ""
	if c.State == inDoubt || c.EffectState == "reconciled-not-applied" {
		settle = "igw command reconcile " + c.CommandID
	}
	picture := ""
	if c.Picture != "" {
		picture = "igw command picture " + c.CommandID + " --output page.jpg"
	}
	site := c.Site
	if c.SiteHash != "" {
		site += " (" + c.SiteHash + ")"
	}
	return []string{
		"command", c.CommandID, "operation", c.Integration + "." + c.Operation, "site", site, "caller", c.CallerID, "account", c.AccountID,
		"state", c.State, "effect", effect, "to settle it", settle, "failure", c.FailureKind, "why", c.Failure, "the page then", picture,
		"accepted", when(&c.AcceptedAt), "ended", when(c.EndedAt), "took", took(c), "problem", c.Problem,
	}
}

// printStory shows events, each with the time since the first.
func printStory(p *printer, events []audit.Event) error {
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SEQ\tAFTER\tEVENT\tDATA")
	for _, e := range events {
		after := e.Time.Sub(events[0].Time).Round(time.Millisecond)
		data := "(too long for this answer; see igw events list)"
		if !e.DataLeftOut {
			data = printable(string(e.Data))
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", e.Seq, after, printable(e.Type), data)
	}
	return w.Flush()
}
