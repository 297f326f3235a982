package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/pkg/bus"
	"integration.gateway/services/applications"
)

// demonstration is what the stack keeps of its own caller: tokens are shown
// only once, when they are issued.
type demonstration struct {
	CallerID      string            `json:"callerId"`
	AccessToken   string            `json:"accessToken"`
	AccountTokens map[string]string `json:"accountTokens"` // by integration
}

// linkAccounts makes a caller with one account at each sandbox, or takes those
// of an earlier run that the database still knows.
func (s *Stack) linkAccounts(ctx context.Context) error {
	d, err := s.readDemonstration(ctx)
	if err != nil {
		return fmt.Errorf("demonstration accounts: %w", err)
	}
	if d.CallerID == "" {
		if err := s.createCaller(ctx, d); err != nil {
			return fmt.Errorf("demonstration caller: %w", err)
		}
	}
	s.Env.AccessToken = d.AccessToken
	for _, i := range s.cfg.applications() {
		if d.AccountTokens[i.Name] == "" {
			if err := s.link(ctx, d, i); err != nil {
				return fmt.Errorf("link the demonstration account of %s: %w", i.Name, err)
			}
		}
		s.Env.AccountTokens[i.Name] = d.AccountTokens[i.Name]
	}
	content, err := json.MarshalIndent(d, "", "  ") //nolint:gosec // the stack's own tokens, into a file for its user alone
	if err != nil {
		return err
	}
	return writeWhole(s.cfg.path("demonstration.json"), string(content)+"\n")
}

func (s *Stack) readDemonstration(ctx context.Context) (*demonstration, error) {
	none := &demonstration{AccountTokens: map[string]string{}}
	path := s.cfg.path("demonstration.json")
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return nil, err
	}
	d := &demonstration{AccountTokens: map[string]string{}}
	if err := json.Unmarshal(content, d); err != nil {
		return nil, fmt.Errorf("%s is damaged; delete it: %w", path, err)
	}
	req := accounts.AuthorizeRequest{AccessTokenHash: accounts.HashToken(d.AccessToken), CallerAlone: true}
	err = call(ctx, s, accounts.Authorize, &req, new(accounts.Authorization))
	var refused *contracts.Error
	if errors.As(err, &refused) && refused.Kind == contracts.Unauthorized {
		return none, nil // tokens of another database
	}
	return d, err
}

func (s *Stack) createCaller(ctx context.Context, d *demonstration) error {
	var caller accounts.Caller
	req := accounts.CreateCallerRequest{Body: accounts.NewCaller{Name: "Demonstration"}}
	if err := call(ctx, s, accounts.CreateCaller, &req, &caller); err != nil {
		return err
	}
	var token accounts.IssuedToken
	issue := accounts.IssueTokenRequest{CallerID: caller.CallerID, Body: accounts.NewToken{Label: "make run"}}
	if err := call(ctx, s, accounts.IssueToken, &issue, &token); err != nil {
		return err
	}
	d.CallerID, d.AccessToken = caller.CallerID, token.AccessToken
	return nil
}

func (s *Stack) link(ctx context.Context, d *demonstration, i applications.Application) error {
	var linked accounts.LinkedAccount
	req := accounts.LinkAccountRequest{Body: accounts.NewAccount{
		CallerID: d.CallerID, Integration: i.Name, Site: applications.SandboxSite, Label: "demonstration",
		Username: i.User.Username, Password: i.User.Password, OneTimeSecret: i.User.OneTimeSecret,
	}}
	if err := call(ctx, s, accounts.LinkAccount, &req, &linked); err != nil {
		return err
	}
	d.AccountTokens[i.Name] = linked.AccountToken
	return nil
}

// call asks the accounts service for an operation, as the operator.
func call[Req, Res any](ctx context.Context, s *Stack, op contracts.Operation[Req, Res], req *Req, res *Res) error {
	ctx = bus.WithIdentity(ctx, bus.Identity{CommandID: uuid.Must(uuid.NewV7()).String()})
	return bus.Call(ctx, s.bus, op.Info(), req, res)
}
