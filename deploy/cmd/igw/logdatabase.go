package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/vault"
)

// logDatabase is the event log, read in its database by the commands about
// events and audits. The role igw_auditor suffices.
type logDatabase struct {
	URL      string `env:"DATABASE_URL,required,notEmpty"`
	VaultURL string `env:"VAULT_DATABASE_URL"`
	Keeper   string `env:"VAULT_KEEPER_URL"`

	pool *pgxpool.Pool
	*eventlog.Log
}

// openLog connects to the event log that DATABASE_URL names. The caller must
// close it.
func openLog(ctx context.Context, con *console) (*logDatabase, error) {
	db, err := settings.FromMap[logDatabase](con.vars)
	if err != nil {
		return nil, err
	}
	if db.VaultURL == "" {
		db.VaultURL = db.URL
	}
	if db.pool, err = openPool(ctx, "DATABASE_URL", db.URL); err != nil {
		return nil, err
	}
	db.Log = eventlog.New(db.pool)
	return &db, nil
}

const (
	connectLimit   = 10 * time.Second // for a database that does not answer
	statementLimit = 10 * time.Minute // for one statement; most take milliseconds, the longest looks at every event
)

func openPool(ctx context.Context, setting, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err) // the library's text holds the URL without its password
	}
	config.ConnConfig.RuntimeParams["statement_timeout"] = strconv.FormatInt(statementLimit.Milliseconds(), 10)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("%s: the database does not answer: %w", setting, err)
	}
	return pool, nil
}

func (db *logDatabase) close() { db.pool.Close() }

// opener opens what is sealed in events, by the vault.
type opener struct {
	pool   *pgxpool.Pool
	vault  *vault.Vault
	stderr io.Writer // what does not open
}

// newOpener connects to the vault.
func (db *logDatabase) newOpener(ctx context.Context, stderr io.Writer) (*opener, error) {
	if db.Keeper == "" {
		return nil, errors.New("what is sealed opens with VAULT_KEEPER_URL only, and VAULT_DATABASE_URL if the vault is not in DATABASE_URL")
	}
	pool, err := openPool(ctx, "VAULT_DATABASE_URL", db.VaultURL)
	if err != nil {
		return nil, err
	}
	v, err := vault.Open(ctx, pool, db.Keeper)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &opener{pool: pool, vault: v, stderr: stderr}, nil
}

// open returns e with its sealed values in clear; those of an erased account
// are shown as such. An event that does not open is named and stays sealed. A
// nil opener leaves all sealed.
func (o *opener) open(ctx context.Context, e event.Event) (event.Event, error) {
	if o == nil {
		return e, nil
	}
	data, err := o.vault.ShowFields(ctx, e.Account, e.Data)
	if errors.Is(err, vault.ErrDamaged) || errors.Is(err, vault.ErrNotFound) {
		fmt.Fprintf(o.stderr, "igw: event %d: what is sealed in it does not open with this vault\n", e.Seq)
		return e, nil
	}
	if err != nil {
		return e, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	e.Data = data
	return e, nil
}

func (o *opener) close() error {
	if o == nil {
		return nil
	}
	defer o.pool.Close()
	return o.vault.Close()
}
