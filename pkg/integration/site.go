package integration

import (
	"fmt"
	"io/fs"

	"integration.gateway/pkg/flow"
)

// embeddedSite is the site that an integration uses unless told otherwise.
const embeddedSite = "sandbox"

// loadSite loads the integration's embedded site. A siteURL stands in for the
// base URL of its site.yaml.
func loadSite(integration Integration, siteURL string) (*flow.Site, error) {
	folder, err := fs.Sub(integration.Sites, "sites/"+embeddedSite)
	if err != nil {
		return nil, fmt.Errorf("site of %s: %w", integration.Name, err)
	}
	site, err := flow.Load(folder, flow.ContractsOf(integration.Operations...))
	if err != nil {
		return nil, fmt.Errorf("site of %s: %w", integration.Name, err)
	}
	if siteURL == "" {
		return site, nil
	}
	return site.WithBaseURL(siteURL)
}
