// Package draft makes the folder of a site from recordings of Chrome's
// Recorder: what can be known is filled in, what cannot is left empty, so that
// a check of the folder names it. What was typed into password fields never
// gets into it.
package draft

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"integration.gateway/pkg/flow"
)

// Plan says what folder to make.
type Plan struct {
	Name        string // of the site
	Integration string
	BaseURL     string // empty: the origin of the first page that was recorded
	SignIn      *Recording
	Operations  []Operation
	Inputs      map[string]string // what was typed for which field of the requests, by the field's dotted name
}

// Operation is an operation that was recorded.
type Operation struct {
	Name      string
	Effect    string // the kind of its effect; empty for a read
	Recording *Recording
	Reconcile *Recording // nil: not recorded
	Request   []Field
	Result    []Field
}

// Field is a field of a request or a result.
type Field struct {
	Name     string
	Kind     string // text, integer, number, boolean, money, date, date-time, URL, email or object
	List     bool
	Required bool
	Fields   []Field // of an object, or of the objects of a list
}

// Draft is a folder that was made.
type Draft struct {
	Files map[string]string
	Notes []string // what a person should look at, besides what a check finds
}

// Make makes a folder. It fails when the recordings do not tell where the
// application is, and when a password would get into the folder.
func Make(plan Plan) (*Draft, error) {
	m := &maker{Plan: plan, draft: &Draft{Files: map[string]string{}}}
	if err := m.findBase(); err != nil {
		return nil, err
	}
	if plan.SignIn != nil {
		m.signIn()
	}
	for _, op := range plan.Operations {
		m.operation(op)
	}
	m.site()
	return m.draft, m.keepsPasswords()
}

type maker struct {
	Plan
	draft     *Draft
	origins   []string   // besides the base URL's
	passwords []string   // that were typed
	home      string     // where the sign-in ended
	entry     [][]string // the first field of the sign-in
}

func (m *maker) note(format string, args ...any) {
	m.draft.Notes = append(m.draft.Notes, fmt.Sprintf(format, args...))
}

// recordings lists all recordings of the plan.
func (m *maker) recordings() []*Recording {
	list := []*Recording{m.SignIn}
	for _, op := range m.Operations {
		list = append(list, op.Recording, op.Reconcile)
	}
	return slices.DeleteFunc(list, func(r *Recording) bool { return r == nil })
}

// findBase finds out where the application is, and which other origins the
// recordings visit.
func (m *maker) findBase() error {
	var visited []string
	for _, r := range m.recordings() {
		for _, s := range r.Steps {
			visited = append(visited, s.addresses()...)
		}
	}
	for _, address := range visited {
		if m.BaseURL == "" {
			m.BaseURL = originOf(address)
		}
	}
	m.BaseURL = strings.TrimSuffix(m.BaseURL, "/")
	if originOf(m.BaseURL) == "" {
		return fmt.Errorf("the recordings open no http or https page, so they do not tell where the application is: name it with --base-url")
	}
	for _, address := range visited {
		if origin := originOf(address); origin != "" && origin != originOf(m.BaseURL) && !slices.Contains(m.origins, origin) {
			m.origins = append(m.origins, origin)
		}
	}
	return nil
}

// originOf returns an address's origin, empty for what has none.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}

// signIn drafts the flow that signs in.
func (m *maker) signIn() {
	const file = "sign-in.yaml"
	r := m.SignIn.clone()
	m.typedSigningIn(file, r)
	first := ""
	for _, s := range r.Steps {
		for _, address := range s.addresses() {
			if u, err := url.Parse(address); err == nil && strings.HasPrefix(address, m.BaseURL) {
				m.home = "/" + strings.TrimPrefix(strings.TrimPrefix(u.Scheme+"://"+u.Host+u.Path, m.BaseURL), "/")
			}
			first = cmp.Or(first, m.home)
		}
	}
	if first == m.home { // guests see it, too: with the way in on it, not the form
		at := slices.IndexFunc(r.Steps, func(s *Step) bool { return s.selectors() != nil })
		if at >= 0 {
			m.entry = r.Steps[at].selectors()
		}
	}
	m.home = cmp.Or(m.home, "/")
	m.relocate(r)
	m.draft.Files[file] = write("Sign in", r, "")
}

// operation drafts the flow of an operation, and its reconcile flow.
func (m *maker) operation(op Operation) {
	file := op.Name + ".yaml"
	r := op.Recording.clone()
	m.relocate(r)
	m.typedOperating(file, r, op)
	act := -1
	if op.Effect != "" {
		act = r.lastAct()
		m.noteEffect(file, r, op, act)
	}
	r.insert(act, effectStep(op.Effect))
	m.draft.Files[file] = write(op.Name, r, extractSteps(op.Result))
	if op.Reconcile != nil {
		file = op.Name + ".reconcile.yaml"
		r := op.Reconcile.clone()
		m.relocate(r)
		m.typedOperating(file, r, op)
		m.draft.Files[file] = write("Look whether "+op.Name+" happened", r, reconcileStep)
	}
}

func (m *maker) noteEffect(file string, r *Recording, op Operation, act int) {
	if act < 0 {
		m.note("%s: the recording holds no click that could be the effect (%s): put the effect step before the step that acts", file, op.Effect)
		return
	}
	m.note("%s: the effect stands before step %d (%s): move it if another step is the point of no return", file, act+2, r.Steps[act])
	if op.Reconcile == nil {
		m.note("%s: without a reconcile flow a person has to look whether an effect in doubt happened: record where one sees it, and give it as %s.reconcile=RECORDING", file, op.Name)
	}
}

// keepsPasswords sees to it that no file of the draft holds a password.
func (m *maker) keepsPasswords() error {
	const short = 4 // it would be found by chance
	for _, password := range m.passwords {
		for name, text := range m.draft.Files {
			if len(password) >= short && holds(text, password) {
				return fmt.Errorf("a password that was typed shows in another place of the recording, and would get into %s: "+
					"record it again, with a page that does not show it", name)
			}
		}
	}
	return nil
}

func holds(text, secret string) bool {
	for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), quoted(secret)} {
		if strings.Contains(text, strings.Trim(form, `"`)) {
			return true
		}
	}
	return false
}

// asksForPassword reports whether a step types into a field for a password.
func (s *Step) asksForPassword() bool {
	return slices.ContainsFunc(s.selectorTexts(), flow.AsksForPassword)
}
