package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
)

// LinkAccount links an account.
//
// The row, the vault and the event log have no transaction in common. The row
// comes first and counts for nothing until it says that the log has recorded
// account.linked; that is the last step, and only then is the token shown. So a
// crash in between leaves a row that nobody can use, which Settle clears away
// with its credentials, and the log never misses an account that works.
func (s *Service) LinkAccount(ctx context.Context, req *accounts.LinkAccountRequest) (linked *accounts.LinkedAccount, err error) {
	if err := s.checkNewAccount(ctx, req.Body); err != nil {
		return nil, err
	}
	id := newID()
	token, hash := newToken(accountTokenPrefix)
	_, err = s.pool.Exec(ctx, `
		insert into accounts (id, caller, integration, site, label, token_hash) values ($1, $2, $3, $4, $5, $6)`,
		id, req.Body.CallerID, req.Body.Integration, req.Body.Site, req.Body.Label, hash)
	if err != nil {
		return nil, fmt.Errorf("link an account: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.abandon(ctx, id))
		}
	}()
	if err := s.putCredentials(ctx, id, req.Body); err != nil {
		return nil, err
	}
	a := accounts.Account{AccountID: id, CallerID: req.Body.CallerID, Integration: req.Body.Integration}
	if err := s.record(ctx, a, event.AccountLinked{}); err != nil {
		return nil, err
	}
	account, err := s.accountRow(ctx, id, `
		update accounts set recorded = 'linked' where id = $1 and unlinked_at is null returning `+shown)
	if err != nil {
		return nil, err
	}
	return &accounts.LinkedAccount{Account: *account, AccountToken: token}, nil
}

func (s *Service) checkNewAccount(ctx context.Context, a accounts.NewAccount) error {
	for field, text := range map[string]string{"site": a.Site, "label": a.Label} {
		if err := checkText(field, text); err != nil {
			return err
		}
	}
	if err := s.checkIntegration("body.integration", a.Integration); err != nil {
		return err
	}
	return s.callerExists(ctx, a.CallerID, contracts.Invalid)
}

func (s *Service) checkIntegration(field, name string) error {
	if _, known := slices.BinarySearch(s.integrations, name); !known {
		return contracts.Errorf(contracts.Invalid, "%s must be one of: %s", field, strings.Join(s.integrations, ", "))
	}
	return nil
}

func (s *Service) putCredentials(ctx context.Context, id string, a accounts.NewAccount) error {
	credentials, err := json.Marshal(accounts.Credentials{ //nolint:gosec // the vault seals it in the next step
		Username:      a.Username,
		Password:      a.Password,
		OneTimeSecret: accounts.NormalSecret(a.OneTimeSecret),
		Site:          a.Site,
	})
	if err != nil {
		return fmt.Errorf("encode the credentials of account %s: %w", id, err)
	}
	return s.vault.Put(ctx, id, accounts.CredentialsName, credentials)
}
