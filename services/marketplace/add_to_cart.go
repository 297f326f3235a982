package marketplace

import (
	"context"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/service"
)

// AddToCart puts one item into the end user's cart.
func (s *Service) AddToCart(ctx context.Context, req *marketplace.AddToCartRequest) (*marketplace.CartAddition, error) {
	return service.Play(ctx, s.player, marketplace.AddToCart, req)
}
