// Package site keeps the sites that an integration has installed: those that
// are embedded in its service, and those of a folder that an operator fills.
//
// A flow.Site that was handed out does not change. Who carries out a command
// gets its site once and keeps it, whatever is installed meanwhile.
package site

import (
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"integration.gateway/contracts"
	"integration.gateway/pkg/flow"
)

// Config says which sites to install.
type Config struct {
	Integration string
	Contracts   flow.Contracts
	Embedded    fs.FS             // a folder for each site; nil for none
	Dir         string            // holds <integration>/<site>/ for each further site, or one that stands in for an embedded site; empty for none
	Default     string            // site of the accounts that name none
	BaseURLs    map[string]string // by site, instead of the one in its site.yaml
	Logger      *slog.Logger
}

// Set is the sites of one integration. It is safe for concurrent use.
type Set struct {
	cfg Config

	mu    sync.RWMutex
	sites map[string]*flow.Site
}

// Open loads the sites. An embedded site that is broken is an error: it was
// built in.
func Open(cfg Config) (*Set, error) {
	s := &Set{cfg: cfg, sites: map[string]*flow.Site{}}
	if err := s.loadEmbedded(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Set) loadEmbedded() error {
	if s.cfg.Embedded == nil {
		return nil
	}
	entries, err := fs.ReadDir(s.cfg.Embedded, ".")
	if err != nil {
		return fmt.Errorf("sites of %s: %w", s.cfg.Integration, err)
	}
	for _, e := range entries {
		folder, err := fs.Sub(s.cfg.Embedded, e.Name())
		if err != nil {
			return fmt.Errorf("site %s of %s: %w", e.Name(), s.cfg.Integration, err)
		}
		loaded, err := s.load(folder)
		if err != nil {
			return fmt.Errorf("site %s of %s: %w", e.Name(), s.cfg.Integration, err)
		}
		s.sites[loaded.Name] = loaded
	}
	return nil
}

func (s *Set) load(folder fs.FS) (*flow.Site, error) {
	loaded, err := flow.Load(folder, s.cfg.Contracts)
	if err != nil {
		return nil, err
	}
	if address := s.cfg.BaseURLs[loaded.Name]; address != "" {
		return loaded.WithBaseURL(address)
	}
	return loaded, nil
}

// Get returns a site by its name; the empty name stands for the default site.
// The error is a *contracts.Error of kind NotImplemented for a site that is not
// installed.
func (s *Set) Get(name string) (*flow.Site, error) {
	if name == "" {
		name = s.cfg.Default
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if found := s.sites[name]; found != nil {
		return found, nil
	}
	return nil, contracts.Errorf(contracts.NotImplemented, "the site %q of %s is not installed here; there are: %s",
		name, s.cfg.Integration, strings.Join(slices.Sorted(maps.Keys(s.sites)), ", "))
}
