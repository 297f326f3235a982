package marketplace

import (
	"context"

	"integration.gateway/contracts"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/integration"
)

// CreateSession hands over a browser that the end user is signed in with.
func (s *Service) CreateSession(ctx context.Context, _ *contracts.CreateSessionRequest) (*contracts.Session, error) {
	return integration.OpenSession(ctx, s.player, marketplace.CreateSession)
}
