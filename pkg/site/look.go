package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"integration.gateway/pkg/flow"
)

// lookEvery is how often the folders are read. What has changed is taken up
// when the next look finds it as the last one did: within twice this time.
//
// Contents are read and compared, rather than events waited for: those of the
// file system do not come through bind mounts and network volumes, tell of
// Kubernetes' exchanged links only under names that it keeps to itself, and
// would need the same look after them, since they can be lost.
const lookEvery = 750 * time.Millisecond

// maxSites bounds the folders of one integration.
const maxSites = 100

// Run takes up changes of the folders until ctx ends.
func (s *Set) Run(ctx context.Context) {
	if s.cfg.Dir == "" {
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		err := s.look(false)
		if err != nil && err.Error() != s.unread {
			s.logger.Warn("SITES_DIR cannot be read; what is installed stays", "error", err)
		}
		s.unread = ""
		if err != nil {
			s.unread = err.Error()
		}
	}
}

// look reads all folders, and judges those that are as the last look saw them
// and were not judged yet: somebody may be writing what has just changed. The
// first look judges all that it finds. It is for one goroutine at a time.
func (s *Set) look(first bool) error {
	root, err := os.OpenRoot(s.cfg.Dir) // anew each time: it may be a link itself
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	names, err := folders(root.FS(), s.cfg.Integration)
	if err != nil {
		return err
	}
	sites, err := fs.Sub(root.FS(), s.cfg.Integration)
	if err != nil {
		return err
	}
	for n, name := range names {
		folder, err := readFolder(sites, name)
		if n >= maxSites {
			err = fmt.Errorf("%s has more than %d sites", s.cfg.Integration, maxSites)
		}
		if err != nil {
			s.judge(name, first, "unreadable: "+err.Error(), func() (*flow.Site, error) { return nil, err })
			continue
		}
		s.judge(name, first, folder.Hash, func() (*flow.Site, error) { return s.load(name, folder) })
	}
	for _, name := range slices.Collect(maps.Keys(s.known)) {
		if !slices.Contains(names, name) {
			s.judge(name, first, "", nil)
		}
	}
	return nil
}

// folders lists the folders in a place, by name. Hidden ones are no sites':
// Kubernetes and version control keep things there. Files are none.
func folders(dir fs.FS, place string) ([]string, error) {
	entries, err := fs.ReadDir(dir, place)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && (e.IsDir() || e.Type()&fs.ModeSymlink != 0) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func readFolder(sites fs.FS, name string) (*flow.Folder, error) {
	folder, err := fs.Sub(sites, name)
	if err != nil {
		return nil, err
	}
	return flow.Read(folder)
}

// judge takes a folder's content up, or refuses it, if it is new and settled.
// Empty content stands for a folder that is not there.
func (s *Set) judge(name string, first bool, content string, load func() (*flow.Site, error)) {
	var e entry
	if known := s.known[name]; known != nil {
		e = *known
	}
	due := (first || e.seen == content) && e.judged != content
	e.seen = content
	if due {
		e.judged = content
		e.take(first, load)
	}
	s.mu.Lock()
	s.known[name] = &e
	if e.seen == "" && e.judged == "" && e.embedded == nil {
		delete(s.known, name)
	}
	s.mu.Unlock()
	if due {
		s.tell(name, e)
	}
}

// take has the site that load makes used from now on, or refuses it: then the
// one in use stays. At the start that is not an embedded site. The folder may
// have stood in for it before, and accounts must not be signed in elsewhere.
// Without a load, the embedded site is used again.
func (e *entry) take(first bool, load func() (*flow.Site, error)) {
	if load == nil {
		e.current, e.refused = e.embedded, nil
		return
	}
	if first {
		e.current = nil
	}
	loaded, err := load()
	e.refused = err
	if err == nil {
		e.current = loaded
	}
}

// tell writes into the log what has become of a folder.
func (s *Set) tell(name string, e entry) {
	logger := s.logger.With("site", name, "folder", s.path(name))
	inUse := "none"
	if e.current != nil {
		inUse = e.current.Hash
	}
	var faults flow.Faults
	switch {
	case e.judged == "":
		logger.Info("a site's folder is gone", "in_use", inUse)
	case e.refused == nil:
		logger.Info("a site is installed", "hash", inUse)
	case errors.As(e.refused, &faults):
		lines := make([]string, len(faults))
		for n, fault := range faults {
			lines[n] = fault.String()
		}
		logger.Warn("a site's folder is refused", "in_use", inUse, "faults", lines)
	default:
		logger.Warn("a site's folder is refused", "in_use", inUse, "error", e.refused)
	}
}

// path is a site's folder.
func (s *Set) path(name string) string { return filepath.Join(s.cfg.Dir, s.cfg.Integration, name) }

// legal is what a site can be called. An account names its site the same way.
var legal = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const maxName = 100

func checkName(name string) error {
	if len(name) > maxName || !legal.MatchString(name) {
		return fmt.Errorf("a site's name is made of small letters, digits and single hyphens, at most %d", maxName)
	}
	return nil
}
