package stack

import (
	"context"
	"fmt"

	"integration.gateway/deploy/migration"
	"integration.gateway/pkg/schema"
)

// startDatabase starts Postgres and brings all tables up to date.
func (s *Stack) startDatabase(ctx context.Context) (err error) {
	if s.Env.VaultKeeperURL, err = keep(s.cfg.path("vault-key"), newKeeperURL); err != nil {
		return err
	}
	url := s.cfg.DatabaseURL
	if url != "" {
		if err := answers(ctx, url); err != nil {
			return fmt.Errorf("STACK_DATABASE_URL: %w", err)
		}
	} else {
		var run func(context.Context) error
		if url, run, err = startPostgres(ctx, s.cfg, s.logger); err != nil {
			return err
		}
		s.run("Postgres", run)
	}
	s.Env.DatabaseURL = url
	if err := migration.Apply(ctx, url, url); err != nil {
		return fmt.Errorf("prepare the database: %w", err)
	}
	if err := schema.CheckLogin(ctx, url, schema.Service, schema.Accounts, schema.Keeper, schema.Auditor); err != nil {
		return fmt.Errorf("STACK_DATABASE_URL: %w", err)
	}
	return nil
}

// startBus starts NATS.
func (s *Stack) startBus(ctx context.Context) error {
	s.Env.NATSURL = s.cfg.NATSURL
	if s.Env.NATSURL != "" {
		return nil
	}
	url, stop, err := startNATS(ctx, s.cfg)
	if err != nil {
		return err
	}
	s.add("NATS", func() error { stop(); return nil })
	s.Env.NATSURL = url
	return nil
}
