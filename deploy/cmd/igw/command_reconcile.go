package main

import (
	"context"
	"errors"
	"fmt"

	"integration.gateway/contracts/audit"
)

type commandReconcile struct {
	Command    string `arg:"" help:"Id of the command."`
	Applied    bool   `xor:"found" help:"Say that its effect happened."`
	NotApplied bool   `xor:"found" help:"Say that its effect did not happen. Without either flag the site's reconcile flow looks."`
	Note       string `help:"How you found out; it is kept sealed, as the evidence, and the caller can read it." placeholder:"TEXT"`
	Yes        bool   `help:"Do not ask. Needed with --applied or --not-applied where there is no terminal to ask on."`
}

// Validate checks the flags together, for kong.
func (c *commandReconcile) Validate() error {
	if c.Note != "" && !c.Applied && !c.NotApplied {
		return errors.New("--note says how you found out: add --applied or --not-applied")
	}
	return nil
}

// statement is what the operator is told before the answer is asked for.
const statement = `You say that the effect of command %s was %s. Look at the application first: this cannot be undone.
- The command ends, and its caller is told that it %s.
- Further effects of this kind on its account are carried out again.
`

func (c *commandReconcile) Run(ctx context.Context, gateway *client, p *printer, con *console) error {
	req := &audit.ReconcileCommandRequest{CommandID: c.Command, Body: audit.Statement{Note: c.Note}}
	switch {
	case c.Applied || c.NotApplied:
		req.Body.Applied = &c.Applied
		if err := c.confirm(ctx, con); err != nil {
			return err
		}
	default:
		fmt.Fprintln(con.stderr, "The site's reconcile flow looks at the application. This may take a minute and a half.")
	}
	settled, err := call(ctx, gateway, audit.ReconcileCommand, req)
	if err != nil {
		return err
	}
	return p.record(settled, commandFields(*settled)...)
}

// confirm has the operator stand by what ends the command for ever.
func (c *commandReconcile) confirm(ctx context.Context, con *console) error {
	if c.Yes {
		return nil
	}
	found, told := "applied", "succeeded"
	if c.NotApplied {
		found, told = "not applied", "failed and may be sent again"
	}
	fmt.Fprintf(con.stderr, statement, printable(c.Command), found, told)
	return confirm(ctx, con, found)
}
