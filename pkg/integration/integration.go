// Package integration is what the services of all integrations share: the
// chain around their operations, and Play, which carries an operation out by
// the flow of a site, in the browser of the account that it is for.
//
// An integration states its name, its sites and its operations in an
// Integration value; Main makes a process of it.
package integration

import (
	"fmt"
	"io/fs"
	"log/slog"

	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/site"
)

// Integration is what a service adds to the shared machinery.
type Integration struct {
	Name        string // path segment, and name of the service on the bus
	Description string // one line for operators
	Sites       fs.FS  // folder sites/<site>/ for each embedded site; nil for none
	Operations  []Operation
}

// OpenSites opens what is installed of the integration. BaseURLs stand in, by
// site, for those of the sites' folders.
func (i Integration) OpenSites(cfg Config, baseURLs map[string]string, logger *slog.Logger) (*site.Set, error) {
	embedded := i.Sites
	if embedded != nil {
		var err error
		if embedded, err = fs.Sub(i.Sites, "sites"); err != nil {
			return nil, fmt.Errorf("sites of %s: %w", i.Name, err)
		}
	}
	return site.Open(site.Config{
		Integration: i.Name, Contracts: flow.ContractsOf(i.Entries()...), Embedded: embedded,
		Dir: cfg.SitesDir, Default: cfg.DefaultSite, BaseURLs: baseURLs, Logger: logger,
	})
}
