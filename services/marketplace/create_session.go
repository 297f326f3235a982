package marketplace

import (
	"context"

	"integration.gateway/contracts"
	"integration.gateway/contracts/marketplace"
)

// CreateSession answers that it is not implemented: no service hands over
// browsers yet.
func (s *Service) CreateSession(context.Context, *contracts.CreateSessionRequest) (*contracts.Session, error) {
	return nil, contracts.Errorf(contracts.NotImplemented, "%s is not implemented", marketplace.CreateSession.Info().ID())
}
