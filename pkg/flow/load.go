package flow

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// SiteFile is the file of a folder that makes it a site.
const SiteFile = "site.yaml"

// A folder is written by hand: more than this is a mistake.
const (
	maxFiles    = 1000
	maxFileSize = 1 << 20
)

// Load reads a site's folder and all flows that it names. The error is of type
// Faults and lists everything that is wrong, or tells that the folder cannot
// be read. With contracts, which may be nil, it also checks that the site has
// a legal flow for each operation it names: every request field is used or
// said not to be, and the effect is there once.
func Load(fsys fs.FS, contracts Contracts) (*Site, error) {
	files, err := readFolder(fsys)
	if err != nil {
		return nil, err
	}
	l := &loader{files: files, contracts: contracts, sizes: map[*Flow]int{}}
	site := l.load()
	if len(l.faults) > 0 {
		return nil, l.faults.sorted()
	}
	site.Hash = hashOf(files)
	return site, nil
}

type loader struct {
	files     map[string][]byte
	contracts Contracts
	faults    Faults
	site      *Site
	read      int           // how many faults there were when all was read
	sizes     map[*Flow]int // see size
	including []string      // files that are being read, outermost first
}

func (l *loader) load() *Site {
	r := &reader{file: SiteFile, faults: &l.faults}
	uses := []use{}
	r.uses = &uses
	n := l.document(SiteFile, 0, "")
	if n == nil {
		return nil
	}
	file := r.site(n)
	l.site = file.Site
	for _, w := range file.wanted {
		if f := l.flow(w.file, Fault{File: SiteFile, Line: w.line}); f != nil {
			w.take(f)
		}
	}
	l.check(uses)
	return l.site
}

// document parses a file of the folder; what is wrong with it is noted.
func (l *loader) document(name string, line int, wantedBy string) *node {
	data, ok := l.files[name]
	if !ok {
		if wantedBy == "" {
			l.faults = append(l.faults, Fault{File: name, Text: "there is no such file"})
		} else {
			l.faults = append(l.faults, Fault{File: wantedBy, Line: line, Text: name + ": there is no such file"})
		}
		return nil
	}
	n, err := parseDocument(name, data)
	var fault *documentFault
	if errors.As(err, &fault) {
		l.faults = append(l.faults, fault.Fault)
		return nil
	}
	if err != nil {
		l.faults = append(l.faults, Fault{File: name, Text: err.Error()})
		return nil
	}
	return n
}

// flow reads a flow and those that it includes; each file once.
func (l *loader) flow(name string, from Fault) *Flow {
	if f, ok := l.site.flows[name]; ok {
		if slices.Contains(l.including, name) {
			from.Text = "the flow includes itself"
			l.faults = append(l.faults, from)
			return nil
		}
		return f
	}
	n := l.document(name, from.Line, from.File)
	if n == nil {
		return nil
	}
	r := &reader{file: name, faults: &l.faults}
	f := r.flow(n)
	l.site.flows[name] = f
	l.including = append(l.including, name)
	defer func() { l.including = l.including[:len(l.including)-1] }()
	walkOwn(f.steps, func(s *Step) {
		in, ok := s.action.(*include)
		if !ok || in.file == "" {
			return
		}
		in.flow = l.flow(in.file, Fault{File: name, Line: s.Line, Step: s.Number})
	})
	return f
}

func readFolder(fsys fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("reading the site's folder: %w", err)
	}
	if len(entries) > maxFiles {
		return nil, fmt.Errorf("reading the site's folder: it has more than %d files", maxFiles)
	}
	for _, e := range entries {
		info, err := fs.Stat(fsys, e.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the site's folder: %w", err)
		}
		if !info.Mode().IsRegular() {
			continue
		}
		if info.Size() > maxFileSize {
			return nil, fmt.Errorf("reading the site's folder: %s is larger than %d bytes", e.Name(), maxFileSize)
		}
		if files[e.Name()], err = fs.ReadFile(fsys, e.Name()); err != nil {
			return nil, fmt.Errorf("reading the site's folder: %w", err)
		}
	}
	return files, nil
}

// hashOf is over each file's name and content with their lengths, by name, so
// that no two folders look alike.
func hashOf(files map[string][]byte) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	write := func(b []byte) {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(b)))
		h.Write(length[:])
		h.Write(b)
	}
	for _, name := range names {
		write([]byte(name))
		write(files[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}
