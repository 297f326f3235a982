package integration

import (
	"context"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/flow"
)

// Operation is an operation of the catalogue with what carries it out.
type Operation struct {
	contracts.Entry

	bind func(*bus.Server, *Player)
	at   func(*flow.Site) bool
}

// At says whether a site has what the operation needs.
func (o Operation) At(site *flow.Site) bool { return o.at(site) }

// Flow has an operation carried out by its flow alone: [Play].
func Flow[Req, Res any](op contracts.Operation[Req, Res]) Operation {
	return Method(op, func(ctx context.Context, player *Player, req *Req) (*Res, error) {
		return Play(ctx, player, op, req)
	})
}

// Method has an operation carried out by a method, which adds to [Play] what a
// flow cannot do.
func Method[Req, Res any](op contracts.Operation[Req, Res], method func(context.Context, *Player, *Req) (*Res, error)) Operation {
	return Operation{
		Entry: op,
		bind: func(srv *bus.Server, player *Player) {
			bus.Handle(srv, op, func(ctx context.Context, req *Req) (*Res, error) { return method(ctx, player, req) })
		},
		at: func(site *flow.Site) bool { return site.Has(op.Name) },
	}
}

// Session has an operation hand over the signed-in browser: [OpenSession]. It
// needs no flow but that of the sign-in.
func Session(op contracts.Operation[contracts.CreateSessionRequest, contracts.Session]) Operation {
	o := Method(op, func(ctx context.Context, player *Player, _ *contracts.CreateSessionRequest) (*contracts.Session, error) {
		return OpenSession(ctx, player, op)
	})
	o.at = (*flow.Site).CanSignIn
	return o
}

// Entries are the contracts of the integration's operations.
func (i Integration) Entries() []contracts.Entry {
	entries := make([]contracts.Entry, len(i.Operations))
	for n, op := range i.Operations {
		entries[n] = op.Entry
	}
	return entries
}
