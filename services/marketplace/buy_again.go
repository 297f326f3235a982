package marketplace

import (
	"context"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/integration"
)

// BuyAgain lists the items that the end user has bought before.
func (s *Service) BuyAgain(ctx context.Context, req *marketplace.BuyAgainRequest) (*marketplace.BuyAgainList, error) {
	return integration.Play(ctx, s.player, marketplace.BuyAgain, req)
}
