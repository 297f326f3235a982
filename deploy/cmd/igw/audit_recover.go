package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/settings"
)

// shownDifferences is how many places of a fork are printed.
const shownDifferences = 20

// auditRecover brings back what the log's database lost. It takes the databases
// from the environment as migrate does, with the same login.
type auditRecover struct {
	Keep string `enum:",log" default:"" help:"Where the log and its copy have gone different ways: log keeps the log as it is, adds what only the copy has where it fits, and has the copy made anew." placeholder:"log"`
	Save string `help:"File for the events of the copy that do not fit, with --keep; it must not be there yet." placeholder:"FILE"`
	Yes  bool   `help:"Do not ask."`
}

// recoverySettings are where the log and its copy are.
type recoverySettings struct {
	DatabaseURL string `env:"DATABASE_URL,required,notEmpty"`
	NATSURL     string `env:"NATS_URL" envDefault:"nats://127.0.0.1:4222"`
}

func (c *auditRecover) Run(ctx context.Context, con *console) error {
	if (c.Keep == "") != (c.Save == "") {
		return errors.New("--keep and --save go together")
	}
	r, done, err := openRecovery(ctx, con)
	if err != nil {
		return err
	}
	defer done()
	loss, err := r.Assess(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(con.stdout, "the log has %d events and its copy %d; the first %d are the same\n", loss.Head, loss.Copied, loss.Common)
	switch {
	case loss.None():
		fmt.Fprintln(con.stdout, "the log lacks nothing; an audit service opens it once it runs")
		return nil
	case c.Keep != "":
		return c.keepLog(ctx, con, r, loss)
	case loss.Forked():
		return showFork(ctx, con, r, loss)
	}
	fmt.Fprintf(con.stdout, "the log lacks %d events of the copy and %d of the journal\n", loss.Missing(), loss.Journaled)
	if err := c.ask(ctx, con, "restore"); err != nil {
		return err
	}
	if err := r.Restore(ctx, loss); err != nil {
		return err
	}
	fmt.Fprintln(con.stdout, "they are restored; the audit service compares the log once more and opens it within seconds")
	return nil
}

// openRecovery connects to the log's database and to its copy.
func openRecovery(ctx context.Context, con *console) (r *eventlog.Recovery, done func(), err error) {
	cfg, err := settings.FromMap[recoverySettings](con.vars)
	if err != nil {
		return nil, nil, err
	}
	var pool *pgxpool.Pool
	if pool, err = openPool(ctx, "DATABASE_URL", cfg.DatabaseURL); err != nil {
		return nil, nil, err
	}
	nc, err := nats.Connect(cfg.NATSURL, nats.Name("igw audit recover"), nats.Timeout(connectLimit))
	if err != nil {
		pool.Close()
		return nil, nil, fmt.Errorf("NATS_URL: %w", err)
	}
	done = func() { nc.Close(); pool.Close() }
	if r, err = eventlog.NewRecovery(pool, nc, eventlog.DefaultStream); err != nil {
		done()
		return nil, nil, err
	}
	r.Rebuild = command.Rebuild
	return r, done, nil
}

func (c *auditRecover) ask(ctx context.Context, con *console, word string) error {
	if c.Yes {
		return nil
	}
	return confirm(ctx, con, word)
}

// showFork prints both ways side by side, and says how a person settles it.
func showFork(ctx context.Context, con *console, r *eventlog.Recovery, loss eventlog.Loss) error {
	fmt.Fprintf(con.stdout, "after event %d the log has %d events of its own, and the copy %d:\n", loss.Common, loss.Head-loss.Common, loss.Copied-loss.Common)
	err := r.Differences(ctx, loss, shownDifferences, func(log, copied event.Event) error {
		fmt.Fprintf(con.stdout, "%8d  log   %s\n          copy  %s\n", log.Seq, eventLine(log), eventLine(copied))
		return nil
	})
	if err != nil {
		return err
	}
	return fmt.Errorf("the log and its copy have gone different ways, and only a person can choose: to keep the copy, restore the database to a time before %s and run this again; "+
		"to keep the log, add --keep log --save FILE", "event "+fmt.Sprint(loss.Common+1))
}

// eventLine is an event on a line, without its data.
func eventLine(e event.Event) string {
	return printable(fmt.Sprintf("%s  %s  %s  %s %s", e.Time.Format(time.RFC3339), e.Type, e.Stream, e.Integration, e.Operation))
}

// keepLog settles a fork for the log.
func (c *auditRecover) keepLog(ctx context.Context, con *console, r *eventlog.Recovery, loss eventlog.Loss) error {
	if err := c.ask(ctx, con, "keep the log"); err != nil {
		return err
	}
	file, err := os.OpenFile(c.Save, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already; give another name", c.Save)
	}
	if err != nil {
		return err
	}
	saved, err := r.KeepLog(ctx, loss, file)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(con.stdout, "the log stands; %d events of the copy did not fit and are in %s: look for their effects at the applications\n", saved, c.Save)
	return nil
}
