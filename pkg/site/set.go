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
	"sync"

	"integration.gateway/contracts"
	"integration.gateway/pkg/flow"
)

// Config says which sites to install.
type Config struct {
	Integration string
	Contracts   flow.Contracts
	Embedded    fs.FS // a folder for each site; nil for none
	// Dir holds <integration>/<site>/ for each further site, or one that stands
	// in for an embedded site; empty for none. What is behind a symbolic link is
	// taken as long as it lies in Dir too.
	Dir      string
	Default  string            // site of the accounts that name none
	BaseURLs map[string]string // by site, instead of the one in its site.yaml
	Logger   *slog.Logger
}

// Set is the sites of one integration. It is safe for concurrent use.
type Set struct {
	cfg    Config
	logger *slog.Logger
	unread string // why the last look failed; Run's

	mu    sync.RWMutex // of what Run changes for others to read
	known map[string]*entry
}

// entry is what is known of the sites of one name.
type entry struct {
	embedded *flow.Site // nil for none
	current  *flow.Site // the one in use; nil while none has been in order
	refused  error      // why what is in the folder is not in use; nil if it is, or there is none
	seen     string     // the folder's content as the last look saw it; empty: no folder
	judged   string     // the content that was taken up or refused last
}

// Open loads the sites. An embedded site that is broken is an error: it was
// built in. So is a setting that cannot be meant. A broken folder is told in
// the log.
func Open(cfg Config) (*Set, error) {
	s := &Set{cfg: cfg, logger: cfg.Logger.With("integration", cfg.Integration), known: map[string]*entry{}}
	for name, address := range cfg.BaseURLs {
		if _, err := new(flow.Site).WithBaseURL(address); err != nil {
			return nil, fmt.Errorf("SITE_URLS: site %s: %w", name, err)
		}
	}
	if err := s.loadEmbedded(); err != nil {
		return nil, err
	}
	if cfg.Dir != "" {
		if err := s.look(true); err != nil {
			return nil, fmt.Errorf("SITES_DIR: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.BaseURLs)) {
		if s.known[name] == nil {
			return nil, fmt.Errorf("SITE_URLS: there is no site %s of %s", name, cfg.Integration)
		}
	}
	if _, err := s.Get(""); err != nil {
		s.logger.Warn("DEFAULT_SITE is not installed: accounts that are linked without a site are not served until it is", "site", cfg.Default)
	}
	return s, nil
}

func (s *Set) loadEmbedded() error {
	if s.cfg.Embedded == nil {
		return nil
	}
	names, err := folders(s.cfg.Embedded, ".")
	if err != nil {
		return fmt.Errorf("sites of %s: %w", s.cfg.Integration, err)
	}
	for _, name := range names {
		var loaded *flow.Site
		folder, err := readFolder(s.cfg.Embedded, name)
		if err == nil {
			loaded, err = s.load(name, folder)
		}
		if err != nil {
			return fmt.Errorf("site %s of %s: %w", name, s.cfg.Integration, err)
		}
		s.known[name] = &entry{embedded: loaded, current: loaded}
		s.logger.Info("a site is installed", "site", loaded.Name, "hash", loaded.Hash, "folder", "embedded")
	}
	return nil
}

// load makes a site of a folder of that name.
func (s *Set) load(name string, folder *flow.Folder) (*flow.Site, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	folder.Site, folder.Integration = name, s.cfg.Integration
	loaded, err := folder.Load(s.cfg.Contracts)
	if err != nil {
		return nil, err
	}
	if address := s.cfg.BaseURLs[name]; address != "" {
		return loaded.WithBaseURL(address)
	}
	return loaded, nil
}

// Get returns a site by its name; the empty name stands for the default site.
// The error is a *contracts.Error of kind NotImplemented for a site that is not
// installed, or broken since it was put there.
func (s *Set) Get(name string) (*flow.Site, error) {
	if name == "" {
		name = s.cfg.Default
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	e := s.known[name]
	switch {
	case e != nil && e.current != nil:
		return e.current, nil
	case e != nil && e.refused != nil:
		return nil, contracts.Errorf(contracts.NotImplemented, "the site %q of %s is broken; the log of its service says what is wrong", name, s.cfg.Integration)
	}
	return nil, contracts.Errorf(contracts.NotImplemented, "the site %q of %s is not installed here", name, s.cfg.Integration)
}

// Installed is the site of one name as it stands.
type Installed struct {
	Name    string
	Site    *flow.Site // the version in use; nil when there is none
	Folder  string     // in Dir, of that name, whether in use or refused; empty when there is none
	Refused error      // why what the folder holds is not in use: flow.Faults, or what kept it from being read; nil if it is
}

// Installed lists the sites by name, those that are refused too.
func (s *Set) Installed() []Installed {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []Installed
	for _, name := range slices.Sorted(maps.Keys(s.known)) {
		e := s.known[name]
		in := Installed{Name: name, Site: e.current, Refused: e.refused}
		if e.judged != "" {
			in.Folder = s.path(name)
		}
		list = append(list, in)
	}
	return list
}
