package main

import (
	"context"
	"fmt"

	"integration.gateway/contracts/audit"
)

type sessionCommands struct {
	List sessionList `cmd:"" help:"List sessions, the newest first."`
	Show sessionShow `cmd:"" help:"Show one session."`
	Stop sessionStop `cmd:"" help:"End a session: its clients are cut off at once, its addresses stop working."`
}

type sessionList struct {
	Integration string `help:"Only sessions of this integration."`
	Caller      string `help:"Only sessions of this caller."`
	Account     string `help:"Only sessions of this account."`
	State       string `help:"Only sessions in this state: open or closed." enum:",open,closed" default:""`
	Limit       int    `help:"Show at most so many; 0 for all." default:"100"`
}

// sessionOpen is the state of a session whose browser is there.
const sessionOpen = "open"

// sessionPart is the number of sessions that are asked for at once.
const sessionPart = 500

func (c *sessionList) Run(ctx context.Context, gateway *client, p *printer) error {
	req := audit.ListSessionsRequest{Integration: c.Integration, CallerID: c.Caller, AccountID: c.Account, State: c.State}
	found := []audit.Session{}
	for c.Limit == 0 || len(found) < c.Limit {
		req.Limit = sessionPart
		if c.Limit > 0 {
			req.Limit = min(sessionPart, c.Limit-len(found))
		}
		part, err := call(ctx, gateway, audit.ListSessions, &req)
		if err != nil {
			return err
		}
		found = append(found, part.Sessions...)
		if part.Next == "" {
			break
		}
		req.After = part.Next
	}
	header := []string{"SESSION", "OPENED", "INTEGRATION", "SITE", "ACCOUNT", "STATE", "CLIENTS", "WHY"}
	return list(p, found, header, func(s audit.Session) []string {
		return []string{s.SessionID, when(&s.OpenedAt), s.Integration, s.Site, s.AccountID, s.State, clientsOf(s), s.Reason}
	})
}

// clientsOf says how many are connected, empty once nobody can be.
func clientsOf(s audit.Session) string {
	if s.State != sessionOpen {
		return ""
	}
	return fmt.Sprint(s.Clients)
}

type sessionShow struct {
	Session string `arg:"" help:"Id of the session, as in its addresses."`
}

func (c *sessionShow) Run(ctx context.Context, gateway *client, p *printer) error {
	found, err := call(ctx, gateway, audit.GetSession, &audit.SessionRequest{SessionID: c.Session})
	if err != nil {
		return err
	}
	return p.record(found, sessionFields(*found)...)
}

type sessionStop struct {
	Session string `arg:"" help:"Id of the session, as in its addresses."`
}

func (c *sessionStop) Run(ctx context.Context, gateway *client, p *printer, con *console) error {
	stopped, err := call(ctx, gateway, audit.StopSession, &audit.SessionRequest{SessionID: c.Session})
	if err != nil {
		return err
	}
	if stopped.State == sessionOpen {
		fmt.Fprintln(con.stderr, "No process holds its browser any more. That it has ended is recorded once its process is known to be dead; see igw session show.")
	}
	return p.record(stopped, sessionFields(*stopped)...)
}

func sessionFields(s audit.Session) []string {
	return []string{
		"session", s.SessionID, "integration", s.Integration, "site", s.Site, "caller", s.CallerID, "account", s.AccountID,
		"opened by", s.CommandID, "state", s.State, "why", s.Reason, "clients", clientsOf(s), "connected so far", fmt.Sprint(s.Attached),
		"opened", when(&s.OpenedAt), "ends by", when(s.Expires), "last connected", when(s.AttachedAt), "ended", when(s.ClosedAt), "problem", s.Problem,
	}
}
