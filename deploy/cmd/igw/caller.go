package main

import (
	"context"

	"integration.gateway/contracts/accounts"
)

type callerCommands struct {
	Create callerCreate `cmd:"" help:"Create a caller."`
	List   callerList   `cmd:"" help:"List callers."`
}

type callerCreate struct {
	Name string `arg:"" help:"Name by which you know the caller."`
}

func (c *callerCreate) Run(ctx context.Context, gateway *client, p *printer) error {
	caller, err := call(ctx, gateway, accounts.CreateCaller, &accounts.CreateCallerRequest{Body: accounts.NewCaller{Name: c.Name}})
	if err != nil {
		return err
	}
	return p.record(caller, "caller", caller.CallerID, "name", caller.Name, "created", when(&caller.CreatedAt))
}

type callerList struct{}

func (c *callerList) Run(ctx context.Context, gateway *client, p *printer) error {
	callers, err := all(func(page accounts.Page) ([]accounts.Caller, string, error) {
		part, err := call(ctx, gateway, accounts.ListCallers, &accounts.ListCallersRequest{Page: page})
		if err != nil {
			return nil, "", err
		}
		return part.Callers, part.Next, nil
	})
	if err != nil {
		return err
	}
	return list(p, callers, []string{"CALLER", "NAME", "CREATED"}, func(c accounts.Caller) []string {
		return []string{c.CallerID, c.Name, when(&c.CreatedAt)}
	})
}

// all fetches a list part by part.
func all[T any](fetch func(accounts.Page) (part []T, next string, err error)) ([]T, error) {
	entries := []T{}
	page := accounts.Page{Limit: 500}
	for {
		part, next, err := fetch(page)
		if err != nil {
			return nil, err
		}
		entries = append(entries, part...)
		if next == "" || next == page.After {
			return entries, nil
		}
		page.After = next
	}
}
