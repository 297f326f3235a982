package flow

import (
	"errors"
	"io/fs"
	"slices"
)

// Load reads a site's folder and all flows that it names; see Folder.Load.
func Load(fsys fs.FS, contracts Contracts) (*Site, error) {
	folder, err := Read(fsys)
	if err != nil {
		return nil, err
	}
	return folder.Load(contracts)
}

// Load makes a site of the folder and all flows that it names. The error is of
// type Faults and lists everything that is wrong. With contracts, which may be
// nil, it also checks that the site has a legal flow for each operation it
// names: every request field is used or said not to be, and the effect is there
// once.
func (f *Folder) Load(contracts Contracts) (*Site, error) {
	l := &loader{folder: f, contracts: contracts, documents: map[string]*node{}, sizes: map[*Flow]int{}}
	site := l.load()
	if len(l.faults) > 0 {
		return nil, l.faults.sorted()
	}
	site.Hash = f.Hash
	return site, nil
}

type loader struct {
	folder    *Folder
	contracts Contracts
	faults    Faults
	site      *Site
	documents map[string]*node
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
	r.place(n, l.folder)
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
	data, ok := l.folder.files[name]
	if !ok {
		if wantedBy == "" {
			l.faults = append(l.faults, Fault{File: name, Text: "there is no such file"})
		} else {
			l.faults = append(l.faults, Fault{File: wantedBy, Line: line, Text: name + ": there is no such file"})
		}
		return nil
	}
	n, err := parseDocument(name, data)
	l.documents[name] = n
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
