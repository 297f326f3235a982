package marketplace

import (
	"context"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/integration"
)

// AddToCart puts one item into the end user's cart.
func (s *Service) AddToCart(ctx context.Context, req *marketplace.AddToCartRequest) (*marketplace.CartAddition, error) {
	return integration.Play(ctx, s.player, marketplace.AddToCart, req)
}
