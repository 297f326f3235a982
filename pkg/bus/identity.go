package bus

import (
	"context"

	"github.com/nats-io/nats.go"
)

// Identity says on whose behalf a command is carried out. The gateway sets it
// once the caller's tokens are verified; nothing behind the gateway sees them.
type Identity struct {
	CommandID string // of the command; also the Command-Id of the HTTP response
	CallerID  string // owner of the access token
	AccountID string // linked account that is acted on; empty where none is needed
	Site      string // site that the account is at; empty: the integration's default site
	Grant     string // names the tokens that the call came with; see accounts.CheckGrants

	// DuplicateRisk is the id of a command whose effect may still appear: the
	// caller accepts that this command's may then be there twice. Empty: none.
	DuplicateRisk string
}

// The headers of a request.
const (
	commandHeader  = "Command-Id"
	callerHeader   = "Caller-Id"
	accountHeader  = "Account-Id"
	siteHeader     = "Account-Site"
	grantHeader    = "Grant"
	riskHeader     = "Accept-Duplicate-Risk"
	timeLeftHeader = "Time-Left-Ms" // how long the service has, in milliseconds: clocks may differ, so it is no time of day
	callHeader     = "Call-Id"      // of this one request; that of a command may be sent more than once

	tellTakenHeader = "Tell-Taken" // the caller wants to know which instance takes the request in
)

type identityKey struct{}

// WithIdentity returns a context that carries id.
func WithIdentity(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// IdentityFrom returns the identity that ctx carries, or the zero Identity.
func IdentityFrom(ctx context.Context) Identity {
	id, _ := ctx.Value(identityKey{}).(Identity)
	return id
}

func (id Identity) header() nats.Header {
	h := nats.Header{}
	h.Set(commandHeader, id.CommandID)
	h.Set(callerHeader, id.CallerID)
	h.Set(accountHeader, id.AccountID)
	h.Set(siteHeader, id.Site)
	h.Set(grantHeader, id.Grant)
	h.Set(riskHeader, id.DuplicateRisk)
	return h
}

func identityOf(h nats.Header) Identity {
	return Identity{
		CommandID: h.Get(commandHeader),
		CallerID:  h.Get(callerHeader),
		AccountID: h.Get(accountHeader),
		Site:      h.Get(siteHeader),
		Grant:     h.Get(grantHeader),

		DuplicateRisk: h.Get(riskHeader),
	}
}
