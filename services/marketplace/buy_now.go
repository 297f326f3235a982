package marketplace

import (
	"context"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/integration"
)

// BuyNow orders one item at once. The flow checks the default address and the
// default payment method before its effect step, so that an account that
// lacks either gets an error and no order.
func (s *Service) BuyNow(ctx context.Context, req *marketplace.BuyNowRequest) (*marketplace.Order, error) {
	return integration.Play(ctx, s.player, marketplace.BuyNow, req)
}
