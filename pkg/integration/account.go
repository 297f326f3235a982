package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/vault"
)

// stateName is where the vault keeps what makes a fresh browser context
// signed in for an account.
const stateName = "browser-state"

// storeLimit bounds the storing of it, which a command waits for.
const storeLimit = 5 * time.Second

// savedState is the content of stateName.
type savedState struct {
	Browser    json.RawMessage `json:"browser"`              // a browser.State, of a generation by command.Register
	Site       string          `json:"site,omitempty"`       // its version that Remembered is of
	Remembered map[string]any  `json:"remembered,omitempty"` // by the site's sign-in
}

// versionOf names a site as it is now. What is known of a sign-in counts for
// that alone: a changed one may ask for other proof, remember other things, or
// stand elsewhere, where nothing that was remembered here must go.
func versionOf(site *flow.Site) string { return site.Hash + " " + site.BaseURL }

// signedInAccount keeps an account signed in during one command, or one look at
// what became of it: its state is restored into a fresh context, and stored
// again after a sign-in.
type signedInAccount struct {
	player   *Player
	site     *flow.Site     // that it is at
	id       bus.Identity   // the command's
	restored map[string]any // what the restored state remembers
	learnt   bool           // there is something to store: a sign-in, or what it gave to remember
	leased   time.Time      // when the page was asked for
	reopens  bool           // for errSignedInElsewhere, another page is leased
	password string         // fingerprint of the one that was last fetched, with its user
}

// restore reads the account's state for a fresh browser context. A state that
// is not there or cannot be read, or is of an older generation, costs a sign-in
// and no more.
func (a *signedInAccount) restore(ctx context.Context) (*browser.State, error) {
	generation, err := a.player.register.Generation(ctx, a.id.AccountID)
	if err != nil {
		return nil, unfetched(err)
	}
	saved, state, err := a.saved(ctx)
	if err != nil {
		return nil, unfetched(err)
	}
	if state == nil || state.Generation < generation {
		return &browser.State{Generation: generation}, nil
	}
	if saved.Site == versionOf(a.site) {
		a.restored = saved.Remembered
	}
	return state, nil
}

// unfetched is the error of a command for which its account's state could not be
// fetched.
func unfetched(err error) error {
	return &contracts.Error{
		Kind: contracts.Unavailable, Message: "what is stored of the account's browser could not be fetched", RetryAfter: time.Second, Err: err,
	}
}

// saved reads what is stored of the account; the state is nil where it is not
// there or cannot be read.
func (a *signedInAccount) saved(ctx context.Context) (saved savedState, state *browser.State, err error) {
	sealed, err := a.player.vault.Get(ctx, a.id.AccountID, stateName)
	if errors.Is(err, vault.ErrNotFound) {
		return saved, nil, nil
	}
	if errors.Is(err, vault.ErrDamaged) {
		a.unreadable(err)
		return saved, nil, nil
	}
	if err != nil {
		return saved, nil, fmt.Errorf("read the account's browser state: %w", err)
	}
	if err := json.Unmarshal(sealed, &saved); err != nil {
		a.unreadable(errors.New("it is not JSON"))
		return saved, nil, nil //nolint:nilerr // a sign-in replaces it
	}
	if state, err = browser.DecodeState(saved.Browser); err != nil {
		a.unreadable(err)
		return saved, nil, nil
	}
	return saved, state, nil
}

// unreadable notes a state that cannot be restored. The command goes on
// without it.
func (a *signedInAccount) unreadable(err error) {
	a.player.logger.Warn("browser state of an account cannot be restored; it will be signed in again", "account", a.id.AccountID, "error", err)
}

// on describes the account to the flows that are played on a page.
func (a *signedInAccount) on(ctx context.Context, page *browser.Page) *flow.Account {
	if a.restored != nil {
		page.SetRemembered(a.restored)
	}
	// The proof is read first and noted last: who sees the one that another page
	// has just made sees what its sign-in remembered, too.
	account := &flow.Account{
		Credentials: a.credentials,
		ProvenAt:    page.Proven(),
		CloseIdle:   page.CloseIdleConnections,
		Refused:     a.refusedPassword,
		ClaimCode:   a.claimCode,
	}
	account.Session = page.Remembered()
	account.Turn = func(ctx context.Context) (func(), error) { return a.turn(ctx, page, account) }
	account.Proven = func(at time.Time, session map[string]any) {
		if session == nil {
			page.SetProven(at)
			return
		}
		a.learnt = true
		page.SetRemembered(session)
		page.SetProven(at)
		a.signedIn(ctx, page)
		a.record(ctx, event.AccountSignedIn{Site: a.site.Name}, nil)
	}
	account.Remembered = func(session map[string]any) {
		a.learnt = true
		page.SetRemembered(session)
	}
	return account
}

func (p *Player) credentialsOf(ctx context.Context, account string) (flow.Credentials, error) {
	sealed, err := p.vault.Get(ctx, account, accounts.CredentialsName)
	if err != nil {
		return flow.Credentials{}, fmt.Errorf("read the account's credentials: %w", err)
	}
	var c accounts.Credentials
	if err := json.Unmarshal(sealed, &c); err != nil {
		return flow.Credentials{}, errors.New("the account's credentials are not JSON")
	}
	return flow.Credentials{Username: c.Username, Password: c.Password, OneTimeSecret: c.OneTimeSecret}, nil
}

// save stores the account's state after a sign-in, so that any instance can
// go on from it. A state that cannot be stored costs a sign-in later.
func (a *signedInAccount) save(ctx context.Context, page *browser.Page) {
	if !a.learnt {
		return
	}
	if err := a.store(context.WithoutCancel(ctx), page); err != nil { // also when the command is over
		a.player.logger.Warn("browser state of an account was not stored", "account", a.id.AccountID, "error", err)
	}
}

// store stores the account's state.
func (a *signedInAccount) store(ctx context.Context, page *browser.Page) error {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	state, err := page.State(ctx, a.site.Origins())
	if err != nil {
		return err
	}
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	content, err := json.Marshal(savedState{Browser: text, Site: versionOf(a.site), Remembered: page.Remembered()})
	if err != nil {
		return err
	}
	return a.player.vault.Put(ctx, a.id.AccountID, stateName, content)
}
