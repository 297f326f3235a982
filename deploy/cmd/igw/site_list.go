package main

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"integration.gateway/contracts"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/integration"
	"integration.gateway/pkg/settings"
	installed "integration.gateway/pkg/site"
	"integration.gateway/services/marketplace"
)

type siteList struct {
	Integration string `help:"Only sites of this integration. SITE_URLS, which is one service's, counts only with it."`
}

// builtIn are the integrations whose services have sites built in.
var builtIn = []integration.Integration{marketplace.Integration}

// installedSite is a site as the list shows it.
type installedSite struct {
	Integration string       `json:"integration"`
	Site        string       `json:"site"`
	BaseURL     string       `json:"baseUrl,omitempty"`
	Hash        string       `json:"hash,omitempty"`
	Folder      string       `json:"folder,omitempty"` // empty for one that is built in
	Operations  []string     `json:"operations"`       // those that it carries out
	Missing     []string     `json:"missing"`          // those of the integration that it does not
	Faults      []foundFault `json:"faults"`           // why its folder is refused
}

// errRefused says that folders are refused; their faults have been printed.
var errRefused = errors.New("not every site can be used: the folders with faults are refused")

// Run loads the sites as the services do when they start.
func (c *siteList) Run(p *printer, con *console) error {
	cfg, err := settings.FromMap[integration.Config](con.vars)
	if err != nil {
		return err
	}
	names, baseURLs := integrations(), map[string]string(nil)
	if c.Integration != "" {
		names, baseURLs = []string{c.Integration}, cfg.SiteURLs
	}
	found := []installedSite{}
	for _, name := range names {
		operations, err := operationsOf(name)
		if err != nil {
			return err
		}
		set, err := served(name, operations).OpenSites(cfg, baseURLs, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		for _, in := range set.Installed() {
			found = append(found, showInstalled(name, in, slices.Sorted(maps.Keys(operations))))
		}
	}
	if err := printInstalled(p, found); err != nil {
		return err
	}
	if slices.ContainsFunc(found, func(s installedSite) bool { return len(s.Faults) > 0 }) {
		return errRefused
	}
	return nil
}

// served is an integration as its service has it; without a service of its own
// it has no sites but those of SITES_DIR.
func served(name string, operations map[string]contracts.Entry) integration.Integration {
	for _, i := range builtIn {
		if i.Name == name {
			return i
		}
	}
	return integration.Integration{Name: name, Operations: slices.Collect(maps.Values(operations))}
}

func showInstalled(name string, in installed.Installed, operations []string) installedSite {
	shown := installedSite{Integration: name, Site: in.Name, Folder: in.Folder, Operations: []string{}, Missing: []string{}, Faults: []foundFault{}}
	var faults flow.Faults
	switch {
	case errors.As(in.Refused, &faults):
		shown.Faults = foundFaults(faults)
	case in.Refused != nil:
		shown.Faults = []foundFault{{File: in.Name, Text: in.Refused.Error()}}
	}
	if in.Site == nil {
		return shown
	}
	shown.BaseURL, shown.Hash = in.Site.BaseURL, in.Site.Hash
	for _, operation := range operations {
		if in.Site.Has(operation) {
			shown.Operations = append(shown.Operations, operation)
		} else {
			shown.Missing = append(shown.Missing, operation)
		}
	}
	return shown
}

func printInstalled(p *printer, found []installedSite) error {
	if p.json {
		return p.encode(found)
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(p.w, "No site is installed.")
		return err
	}
	for n, s := range found {
		if n > 0 {
			fmt.Fprintln(p.w)
		}
		if err := p.record(nil, s.rows()...); err != nil {
			return err
		}
	}
	return nil
}

// rows are what the table shows of a site.
func (s installedSite) rows() []string {
	from := s.Folder
	if from == "" {
		from = "built in"
	}
	rows := []string{
		"site", s.Integration + "/" + s.Site, "base URL", s.BaseURL, "from", from, "hash", s.Hash,
		"carries out", strings.Join(s.Operations, ", "), "does not", strings.Join(s.Missing, ", "),
	}
	for _, fault := range s.Faults {
		rows = append(rows, "refused", flow.Fault(fault).String())
	}
	return rows
}
