package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-rod/rod"

	"integration.gateway/contracts"
	"integration.gateway/pkg/account"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/drift"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/session"
	"integration.gateway/pkg/signin"
	"integration.gateway/pkg/vault"
)

// Player carries out operations by playing the flows of their sites, each in the
// browser of the account that the command is for.
type Player struct {
	browsers *browser.Pool
	vault    *vault.Vault
	register *command.Register
	log      account.Log
	drift    *drift.Recorder
	sessions *session.Keeper
	signIns  *signin.Register
	logger   *slog.Logger
}

// Play carries out an operation by its flow and returns the typed result. It
// is called within a command, whose effect it records.
//
// Errors are what the flow found out at the site, as *contracts.Error, and
// NotImplemented when the site has no flow for the operation.
func Play[Req, Res any](ctx context.Context, p *Player, op contracts.Operation[Req, Res], req *Req) (*Res, error) {
	fields, err := flow.Flat(req)
	if err != nil {
		return nil, err
	}
	raw, err := p.play(ctx, op.Info(), fields)
	if err != nil {
		return nil, err
	}
	res := new(Res)
	if err := json.Unmarshal(raw, res); err != nil {
		// The decoder's own text can quote the result, so it is not kept.
		return nil, fmt.Errorf("what the flow of %s returned is not its result", op.Info().ID())
	}
	if site, err := siteFrom(ctx); err == nil {
		applyPaging(site.LeavesPaging(op.Name), fields, res)
	}
	return res, nil
}

func (p *Player) play(ctx context.Context, op contracts.Info, fields map[string]any) (json.RawMessage, error) {
	site, err := siteFrom(ctx)
	if err != nil {
		return nil, err
	}
	if !site.Has(op.Name) {
		return nil, contracts.Errorf(contracts.NotImplemented, "%s is not implemented: the site %s has no flow for it", op.ID(), site.Name)
	}
	cmd := command.From(ctx)
	if cmd == nil {
		return nil, errors.New("a flow is played outside of a command")
	}
	job := flow.Job{
		Operation: op.Name,
		Request:   fields,
		CommandID: cmd.ID,
		StartedAt: cmd.StartedAt,
		Effect:    effects{cmd, p.vault},
	}
	if err := site.Check(job); err != nil {
		return nil, asError(ctx, cmd, err)
	}
	var result json.RawMessage
	id := bus.Identity{CommandID: cmd.ID, CallerID: cmd.Caller, AccountID: cmd.Account}
	err = p.visit(ctx, site, op.Name, id, cmd.Generation, func(page *rod.Page, account *flow.Account) (trace flow.Trace, err error) {
		job.Account = account
		result, trace, err = site.Play(ctx, page, job)
		return trace, err
	})
	if err != nil {
		cmd.Read(result)
		p.keepPicture(ctx, cmd, err)
		return nil, asError(ctx, cmd, err)
	}
	return result, nil
}

// visit has a flow of a site played on a page in the browser of the account that
// id is about, for an operation, and keeps what there is to keep of it. What is
// warm of the account is used if it is not older than the given generation.
func (p *Player) visit(ctx context.Context, site *flow.Site, operation string, id bus.Identity, generation int64, play func(*rod.Page, *flow.Account) (flow.Trace, error)) error {
	a := &signedInAccount{player: p, site: site, id: id, reopens: true}
	err := p.onPage(ctx, a, operation, generation, play)
	if errors.Is(err, errSignedInElsewhere) { // no effect was started: a flow signs in before
		p.browsers.Forget(id.AccountID)
		a.reopens = false
		err = p.onPage(ctx, a, operation, generation, play)
	}
	a.refused(ctx, err)
	return err
}

// onPage is visit on one page.
func (p *Player) onPage(ctx context.Context, a *signedInAccount, operation string, generation int64, play func(*rod.Page, *flow.Account) (flow.Trace, error)) error {
	a.leased, a.restored = time.Now(), nil
	page, err := p.browsers.Acquire(ctx, browser.Tenant{
		Account: a.id.AccountID, Site: versionOf(a.site), Origins: a.site.Origins(), Generation: generation, Restore: a.restore,
	})
	if err != nil {
		return err
	}
	clean := false // also when a step panics
	defer func() { page.Release(clean) }()
	trace, err := play(page.Rod(), a.on(ctx, page))
	clean = trace.Unclean == nil
	p.drift.Count(drift.Playing{Site: a.site, Operation: operation, Command: a.id.CommandID, Trace: trace, Err: err})
	if clean {
		a.save(ctx, page) // also after a failure: the next one goes on from it
	}
	return err
}

// effects records the effect of a flow as that of its command.
type effects struct {
	cmd   *command.Command
	vault *vault.Vault
}

// Started implements flow.EffectRecorder. What the flow has read so far can be
// personal data, so all of it is sealed.
func (e effects) Started(ctx context.Context, kind string, vars map[string]any) error {
	sealed, err := e.vault.SealValue(ctx, e.cmd.Account, vars)
	if err != nil {
		return err
	}
	e.cmd.Knew(vars)
	return e.cmd.Start(ctx, contracts.Effect(kind), sealed)
}

// Act implements flow.EffectRecorder.
func (e effects) Act(context.Context) error { return e.cmd.Act() }

// Holds implements flow.EffectRecorder.
func (e effects) Holds() bool { return e.cmd.Holds() }
