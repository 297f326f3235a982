package integration

import (
	"context"

	"github.com/go-kit/kit/endpoint"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/site"
)

// pinned is the site of one command, from its beginning to its end: what is
// installed meanwhile counts for the next.
type pinned struct {
	site *flow.Site // nil when it is not installed
	err  error      // why
}

type pinnedKey struct{}

// pin chooses the site of each command: the one that its account is at.
func pin(sites *site.Set) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			found, err := sites.Get(bus.IdentityFrom(ctx).Site)
			return next(context.WithValue(ctx, pinnedKey{}, pinned{found, err}), request)
		}
	}
}

// siteFrom returns the site of the command that ctx carries out. The error is
// for the caller.
func siteFrom(ctx context.Context) (*flow.Site, error) {
	p, ok := ctx.Value(pinnedKey{}).(pinned)
	if !ok {
		return nil, contracts.Errorf(contracts.Fault, "a command has no site")
	}
	return p.site, p.err
}

// siteOfCommand is what the log is told of the site: nothing but what the
// account asks for when that is not installed.
func siteOfCommand(ctx context.Context) (name, hash string) {
	found, err := siteFrom(ctx)
	if err != nil {
		return bus.IdentityFrom(ctx).Site, ""
	}
	return found.Name, found.Hash
}

// commandChain is around each operation: its site is chosen, the command
// recorded, and a refusal answered as the operation has it. The requests by which other services reach into this one are no
// commands.
func commandChain(sites *site.Set, recorder command.Recorder, operations []contracts.Entry) func(contracts.Info) endpoint.Middleware {
	return func(op contracts.Info) endpoint.Middleware {
		if op.Access == contracts.Internal {
			return func(next endpoint.Endpoint) endpoint.Endpoint { return next }
		}
		return endpoint.Chain(answerRefusal(op, operations), pin(sites), recorder.Middleware(op))
	}
}
