package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/jsonschema"
)

type siteCommands struct {
	List     siteList     `cmd:"" help:"What is installed: each integration's sites, built in and in SITES_DIR, and why a folder is refused."`
	Contract siteContract `cmd:"" help:"What an integration's operations take and give, which a site's flows must obey."`
	New      siteNew      `cmd:"" help:"Make a site's folder from recordings of Chrome's Recorder."`
	Probe    siteProbe    `cmd:"" help:"What flows can hold on to on a page: the JSON behind it, and selectors that last."`
	Check    siteCheck    `cmd:"" help:"Find what is wrong with a site's folder; with an account, try it on the real site."`
	Run      siteRun      `cmd:"" help:"Carry out one operation at the real site, and show each step."`
	Drift    siteDrift    `cmd:"" help:"Which steps do not find their first choice any more: how the sites change."`
	Schema   siteSchema   `cmd:"" help:"Print the JSON Schema of site.yaml, or of a flow, for editors."`
}

type siteSchema struct {
	File string `arg:"" enum:"site,flow" help:"site for site.yaml, flow for a flow."`
}

func (c *siteSchema) Run(con *console) error {
	schema := jsonschema.Site
	if c.File == "flow" {
		schema = jsonschema.Flow
	}
	_, err := con.stdout.Write(schema)
	return err
}

// integrations lists the integrations by name.
func integrations() []string {
	names := map[string]bool{}
	for _, e := range catalog.All() {
		names[e.Info().Integration] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// operationsOf lists the operations of an integration by their names.
func operationsOf(integration string) (map[string]contracts.Entry, error) {
	found := map[string]contracts.Entry{}
	for _, e := range catalog.All() {
		if e.Info().Integration == integration {
			found[e.Info().Name] = e
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no integration %q; there are %s", integration, strings.Join(integrations(), ", "))
	}
	return found, nil
}

// siteFolder is the folder that the commands about one site work on.
type siteFolder struct {
	Folder string `arg:"" type:"existingdir" help:"The site's folder, with its site.yaml."`
	siteAddress
}

// siteAddress is where a site is, if not at the address in its folder.
type siteAddress struct {
	BaseURL string `name:"base-url" placeholder:"URL" help:"Where the application is, instead of the baseUrl in site.yaml."`
}

// open loads the site and the contracts of its integration. What is wrong with
// the folder is an error of type flow.Faults.
func (f siteFolder) open() (*flow.Site, map[string]contracts.Entry, error) {
	folder := os.DirFS(f.Folder)
	site, err := flow.Load(folder, nil)
	if err != nil {
		return nil, nil, err
	}
	entries, err := operationsOf(site.Integration)
	if err != nil {
		return nil, nil, flow.Faults{{File: flow.SiteFile, Text: err.Error()}}
	}
	site, err = flow.Load(folder, flow.ContractsOf(slices.Collect(maps.Values(entries))...))
	if err == nil && f.BaseURL != "" {
		site, err = site.WithBaseURL(f.BaseURL)
	}
	return site, entries, err
}

// errFaults says that a folder has faults; they have been printed.
var errFaults = errors.New("the site cannot be used until these are mended")

// openSound is open for the commands that need a folder without fault.
func (f siteFolder) openSound(con *console) (*flow.Site, map[string]contracts.Entry, error) {
	site, entries, err := f.open()
	var faults flow.Faults
	if errors.As(err, &faults) {
		for _, fault := range faults {
			fmt.Fprintln(con.stderr, printable(fault.String()))
		}
		err = fmt.Errorf("%d %s: %w", len(faults), plural(len(faults), "fault"), errFaults)
	}
	return site, entries, err
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
