package main

import (
	"context"
	"fmt"
	"time"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
)

// siteBrowser is a browser at one site, as the services have it. The contexts
// of its tenants know nothing of each other.
type siteBrowser struct {
	pool *browser.Pool
	site *flow.Site
}

// browserFlags say how the browser is shown.
type browserFlags struct {
	Headed bool `help:"Show the browser (needs chromium itself, not its headless shell, and a display)."`
}

func (f browserFlags) open(ctx context.Context, site *flow.Site) (*siteBrowser, error) {
	pool, err := browser.Open(ctx, browser.Config{Headed: f.Headed, Reserve: -1, Prepare: flow.Prepare})
	if err != nil {
		return nil, err
	}
	return &siteBrowser{pool: pool, site: site}, nil
}

// closeIn bounds how long a page that is being cleaned keeps the browser open.
const closeIn = 5 * time.Second

// close ends the browser, also when the command was interrupted.
func (b *siteBrowser) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeIn)
	defer cancel()
	_ = b.pool.Close(ctx) // it ends in any case, and so do its pages
}

// The tenants of a browser.
const (
	theAccount = "account"
	aStranger  = "stranger" // a context in which nobody was ever signed in
)

// visit leases a page of a tenant's context while play has it. On the
// account's page, account may be nil.
func (b *siteBrowser) visit(ctx context.Context, tenant string, account *flow.Account, play func(page *browser.Page) error) error {
	page, err := b.pool.Acquire(ctx, browser.Tenant{Account: tenant, Origins: b.site.Origins(), Site: b.site.Hash})
	if err != nil {
		return fmt.Errorf("open a page: %w", err)
	}
	defer page.Release(false)
	if account != nil {
		account.CloseIdle = page.CloseIdleConnections
	}
	return play(page)
}
