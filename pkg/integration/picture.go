package integration

import (
	"context"
	"encoding/json"
	"errors"

	"integration.gateway/pkg/command"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/vault"
)

// keepPicture keeps the picture of the page on which a command's flow broke, if
// there is one, sealed by the account's key: what a page shows is personal data.
// Without an account there is no key, and no picture is kept. The command does
// not depend on it.
func (p *Player) keepPicture(ctx context.Context, cmd *command.Command, err error) {
	var failure *flow.Failure
	if !errors.As(err, &failure) || failure.Picture == nil || cmd.Account == "" {
		return
	}
	// The command's own time may be over.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	text, err := json.Marshal(failure.Picture)
	if err == nil {
		err = p.vault.PutPicture(ctx, cmd.Account, cmd.ID, text)
	}
	if err != nil {
		p.logger.Warn("the picture of a page on which a flow broke was not kept", "command", cmd.ID, "error", err)
		return
	}
	cmd.Pictured(vault.PictureName(cmd.ID))
}
