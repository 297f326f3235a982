// Package migration brings the databases of the Integration Gateway to the
// version that its services need.
package migration

import (
	"context"

	"integration.gateway/pkg/command"
	"integration.gateway/pkg/drift"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/readmodel"
	"integration.gateway/pkg/session"
	"integration.gateway/pkg/signin"
	"integration.gateway/pkg/vault"
	"integration.gateway/services/accounts"
)

// Apply creates or updates all tables: those of the event log and its read
// models in one database, those of accounts and their secrets in the other,
// which may be the same. See schema.Apply for the login that it needs; the
// services need none that may create anything.
func Apply(ctx context.Context, logURL, vaultURL string) error {
	if err := eventlog.Migrate(ctx, logURL); err != nil {
		return err
	}
	if err := command.Migrate(ctx, logURL); err != nil {
		return err
	}
	if err := session.Migrate(ctx, logURL); err != nil {
		return err
	}
	if err := signin.Migrate(ctx, logURL); err != nil {
		return err
	}
	if err := readmodel.Migrate(ctx, logURL); err != nil {
		return err
	}
	if err := drift.Migrate(ctx, logURL); err != nil {
		return err
	}
	if err := vault.Migrate(ctx, vaultURL); err != nil {
		return err
	}
	return accounts.Migrate(ctx, vaultURL)
}
