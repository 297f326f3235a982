package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/vault"
)

type commandPicture struct {
	Command string `arg:"" help:"Id of the command: the header Command-Id of its answer."`
	Output  string `required:"" short:"o" help:"File to write the picture to, a JPEG." placeholder:"FILE"`
}

func (c *commandPicture) Run(ctx context.Context, p *printer, con *console) (err error) {
	log, err := openLog(ctx, con)
	if err != nil {
		return err
	}
	defer log.close()
	account, err := pictured(ctx, log.Log, c.Command)
	if err != nil {
		return err
	}
	opener, err := log.newOpener(ctx, con.stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opener.close()) }()
	picture, err := opener.picture(ctx, account, c.Command)
	if err != nil {
		return err
	}
	if len(picture.Image) > 0 {
		// Whatever the page showed is in it: for nobody else on this machine.
		if err := os.WriteFile(c.Output, picture.Image, 0o600); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
	}
	return printPicture(p, picture)
}

// pictured returns the account of a command that has a picture.
func pictured(ctx context.Context, log *eventlog.Log, command string) (account string, err error) {
	events, err := log.Stream(ctx, event.CommandStream(command))
	if err != nil {
		return "", err
	}
	if len(events) == 0 {
		return "", fmt.Errorf("there is no command %s", command)
	}
	for _, e := range events {
		var p struct {
			Picture string `json:"picture"`
		}
		if json.Unmarshal(e.Data, &p) == nil && p.Picture == vault.PictureName(command) {
			return e.Account, nil
		}
	}
	return "", fmt.Errorf("command %s has no picture: its flow did not break on a page, or it was carried out without an account", command)
}

// picture opens the picture of a command.
func (o *opener) picture(ctx context.Context, account, command string) (*flow.Picture, error) {
	text, err := o.vault.Picture(ctx, account, command)
	switch {
	case errors.Is(err, vault.ErrErased):
		return nil, fmt.Errorf("the account %s is erased, and so is the picture", account)
	case errors.Is(err, vault.ErrNotFound):
		return nil, errors.New("the picture is not there any more: newer ones have taken its place, or the account was unlinked")
	case errors.Is(err, vault.ErrDamaged):
		return nil, errors.New("the picture does not open with this vault")
	case err != nil:
		return nil, err
	}
	picture := &flow.Picture{}
	if err := json.Unmarshal(text, picture); err != nil {
		return nil, errors.New("what the vault has is not a picture")
	}
	return picture, nil
}

// printPicture shows what a picture tells in words.
func printPicture(p *printer, picture *flow.Picture) error {
	if p.json {
		return p.encode(struct {
			Address string   `json:"address"`
			Near    []string `json:"near"`
		}{picture.Address, picture.Near})
	}
	if len(picture.Image) == 0 {
		fmt.Fprintln(p.w, "There is no image: it was too large, or what must not be seen could not be taken out of it.")
	}
	fmt.Fprintln(p.w, "Page:", printable(picture.Address))
	fmt.Fprintln(p.w, "Near the place where the selector should have matched:")
	for _, line := range picture.Near {
		if _, err := fmt.Fprintln(p.w, "  "+printable(line)); err != nil {
			return err
		}
	}
	return nil
}
