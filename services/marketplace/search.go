package marketplace

import (
	"context"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/integration"
)

// Search finds items by words, in the grocery store alone if asked to.
func (s *Service) Search(ctx context.Context, req *marketplace.SearchRequest) (*marketplace.SearchResults, error) {
	return integration.Play(ctx, s.player, marketplace.Search, req)
}
