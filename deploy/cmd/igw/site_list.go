package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/integration"
	"integration.gateway/pkg/settings"
	installed "integration.gateway/pkg/site"
	"integration.gateway/services/applications"
)

type siteList struct {
	Integration string `help:"Only sites of this integration. SITE_URLS, which is one service's, counts only with it."`
}

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
	if c.Integration != "" {
		if _, err := operationsOf(c.Integration); err != nil {
			return err
		}
	}
	found := []installedSite{}
	for _, app := range applications.All {
		var baseURLs map[string]string
		switch c.Integration {
		case "": // all
		case app.Name:
			baseURLs = cfg.SiteURLs
		default:
			continue
		}
		set, err := app.OpenSites(cfg, baseURLs, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		for _, in := range set.Installed() {
			found = append(found, showInstalled(app.Integration, in))
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

func showInstalled(i integration.Integration, in installed.Installed) installedSite {
	shown := installedSite{Integration: i.Name, Site: in.Name, Folder: in.Folder, Operations: []string{}, Missing: []string{}, Faults: []foundFault{}}
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
	for _, operation := range i.Operations {
		list := &shown.Missing
		if operation.At(in.Site) {
			list = &shown.Operations
		}
		*list = append(*list, operation.Info().Name)
	}
	slices.Sort(shown.Operations)
	slices.Sort(shown.Missing)
	return shown
}

func printInstalled(p *printer, found []installedSite) error {
	if p.json {
		return p.encode(found)
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
