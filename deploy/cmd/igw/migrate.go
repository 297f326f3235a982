package main

import (
	"context"
	"errors"
	"fmt"

	"integration.gateway/deploy/migration"
	"integration.gateway/pkg/settings"
)

// migrate is the one command that speaks to the databases and not to the
// gateway. It takes them from the environment, since their addresses hold
// passwords.
type migrate struct{}

type databases struct {
	Log   string `env:"DATABASE_URL,required,notEmpty"`
	Vault string `env:"VAULT_DATABASE_URL"`
}

func (m *migrate) Run(ctx context.Context, c *console) error {
	urls, err := settings.FromEnv[databases]()
	if err != nil {
		return err
	}
	if urls.Vault == "" {
		urls.Vault = urls.Log
	}
	if err := migration.Apply(ctx, urls.Log, urls.Vault); err != nil {
		return errors.Join(errors.New("the databases are not ready"), err)
	}
	_, err = fmt.Fprintln(c.stdout, "the databases are ready")
	return err
}
