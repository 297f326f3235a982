// Package probe looks at a page for what flows can hold on to: the JSON that
// the page asks for, and selectors that are likely to last.
//
// It is for the person who writes flows. What it reports holds what the page
// shows, personal data among it, but no cookie, token or password.
package probe

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/go-rod/rod"

	"integration.gateway/pkg/flow"
)

// Report is what was found on a page.
type Report struct {
	Address  string    `json:"address"` // where the page ended up
	Title    string    `json:"title,omitempty"`
	Requests []Request `json:"requests"`
	Controls []Element `json:"controls"` // fields, buttons and links
	Places   []Element `json:"places"`   // other elements that can be waited for
	Groups   []Group   `json:"groups"`   // of rows that repeat
}

// Element is an element of a page with the selectors that are likely to last.
type Element struct {
	Kind      string   `json:"kind"`
	Label     string   `json:"label,omitempty"`
	Selectors []string `json:"selectors"`
}

// Group is rows that repeat, as extract reads them.
type Group struct {
	Each   string  `json:"each"`
	Rows   int     `json:"rows"`
	Fields []Field `json:"fields"`
}

// Field is what can be read of each row of a group.
type Field struct {
	Name      string `json:"name"`
	Selector  string `json:"selector"`
	Attribute string `json:"attribute,omitempty"`
	Sample    string `json:"sample,omitempty"` // of the first row
}

//go:embed inpage.js
var script string

// found is what the script tells.
type found struct {
	Title    string
	Controls []Element
	Places   []Element
	Groups   []struct {
		Each   []string
		Rows   int
		Fields []struct {
			Name      string
			Selectors []string
			Attribute string
			Sample    string
		}
	}
}

// Page opens an address on a page and looks at it once it has been quiet for
// a while, or when the wait is over.
func Page(ctx context.Context, page *rod.Page, address string, wait time.Duration) (*Report, error) {
	ctx, cancel := context.WithTimeout(ctx, wait+navigateIn)
	defer cancel()
	page = page.Context(ctx)
	w, err := listen(page)
	if err != nil {
		return nil, err
	}
	defer w.stop()
	if err := page.Timeout(navigateIn).Navigate(address); err != nil {
		return nil, fmt.Errorf("open %s: %w", Redacted(address), err)
	}
	if err := w.untilQuiet(ctx, wait); err != nil {
		return nil, err
	}
	answer, err := page.Eval(script)
	if err != nil {
		return nil, fmt.Errorf("look at the page: %w", err)
	}
	var f found
	if err := answer.Value.Unmarshal(&f); err != nil {
		return nil, fmt.Errorf("look at the page: %w", err)
	}
	info, err := page.Info()
	if err != nil {
		return nil, fmt.Errorf("look at the page: %w", err)
	}
	r := &Report{Address: Redacted(info.URL), Title: f.Title, Requests: w.requests}
	r.Controls, r.Places = lasting(f.Controls), lasting(f.Places)
	r.addGroups(f)
	return r, nil
}

// navigateIn bounds how long a page's first answer is waited for.
const navigateIn = 30 * time.Second

// lasting leaves out the selectors that are likely to be others next time,
// and the elements that have no other.
func lasting(elements []Element) []Element {
	kept := []Element{}
	for _, e := range elements {
		e.Selectors = slices.DeleteFunc(e.Selectors, isVolatile)
		if len(e.Selectors) > 0 {
			kept = append(kept, e)
		}
	}
	return kept
}

func isVolatile(selector string) bool { return flow.Volatile(selector) != "" }

func (r *Report) addGroups(f found) {
	r.Groups = []Group{}
	for _, g := range f.Groups {
		group := Group{Each: firstLasting(g.Each), Rows: g.Rows, Fields: []Field{}}
		for _, field := range g.Fields {
			made := Field{Selector: firstLasting(field.Selectors), Attribute: field.Attribute, Sample: field.Sample}
			same := func(other Field) bool { return other.Selector == made.Selector && other.Attribute == made.Attribute }
			if made.Attribute != "" {
				made.Sample = Redacted(made.Sample)
			}
			if made.Selector == "" || secretNames.MatchString(made.Selector) || slices.ContainsFunc(group.Fields, same) {
				continue
			}
			made.Name = group.nameFor(field.Name, made)
			group.Fields = append(group.Fields, made)
		}
		if group.Each != "" && len(group.Fields) > 0 {
			r.Groups = append(r.Groups, group)
		}
	}
}

func firstLasting(selectors []string) string {
	for _, s := range selectors {
		if !isVolatile(s) {
			return s
		}
	}
	return ""
}
