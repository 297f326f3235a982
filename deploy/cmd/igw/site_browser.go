package main

import (
	"context"
	"fmt"
	"time"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
)

// siteBrowser is a browser at one site, as the services have it, and the
// account that visits the site in it.
type siteBrowser struct {
	pool    *browser.Pool
	site    *flow.Site
	account *flow.Account // nil for a guest
}

// visitFlags say who visits a site, and how the browser is shown.
type visitFlags struct {
	siteAccount
	Headed bool `help:"Show the browser (needs chromium itself, not its headless shell, and a display)."`
}

// open reads what the account signs in with, then starts the browser.
func (f visitFlags) open(ctx context.Context, con *console, site *flow.Site) (*siteBrowser, error) {
	account, err := f.siteAccount.open(ctx, con, site)
	if err != nil {
		return nil, err
	}
	pool, err := browser.Open(ctx, browser.Config{Headed: f.Headed, Reserve: -1, Prepare: flow.Prepare})
	if err != nil {
		return nil, err
	}
	return &siteBrowser{pool: pool, site: site, account: account}, nil
}

// closeIn bounds how long a page that is being cleaned keeps the browser open.
const closeIn = 5 * time.Second

// close ends the browser, also when the command was interrupted.
func (b *siteBrowser) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeIn)
	defer cancel()
	_ = b.pool.Close(ctx) // it ends in any case, and so do its pages
}

// visit leases a page of the account's context while play has it.
func (b *siteBrowser) visit(ctx context.Context, play func(page *browser.Page) error) error {
	return b.visitAs(ctx, "account", func(page *browser.Page) error {
		if b.account != nil {
			b.account.CloseIdle = page.CloseIdleConnections
		}
		return play(page)
	})
}

// visitAsStranger leases a page of a context in which nobody was ever signed in.
func (b *siteBrowser) visitAsStranger(ctx context.Context, play func(page *browser.Page) error) error {
	return b.visitAs(ctx, "stranger", play)
}

func (b *siteBrowser) visitAs(ctx context.Context, tenant string, play func(page *browser.Page) error) error {
	page, err := b.pool.Acquire(ctx, browser.Tenant{Account: tenant, Origins: b.site.Origins(), Site: b.site.Hash})
	if err != nil {
		return fmt.Errorf("open a page: %w", err)
	}
	defer page.Release(false)
	return play(page)
}
