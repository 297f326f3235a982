package flow

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"

	"integration.gateway/pkg/flow/placeholder"
)

// JSONPath (RFC 9535). This file alone knows the library behind it.

const (
	// byPath is the kind of a selector that is a JSONPath.
	byPath = "json"
	// maxPath bounds a path as it is written in a flow, in bytes.
	maxPath = 2000
	// maxVisits bounds how many values the paths of one reading look at. Most
	// need a few thousand; five million take a second or two.
	maxVisits = 5_000_000
)

type pathQuery = spec.PathQuery

// path reads a JSONPath. What a placeholder brings is a literal in it.
func (r *reader) path(n *node) selector {
	s := selector{source: r.scalar(n, "path"), by: byPath}
	if n == nil {
		return s
	}
	if !strings.HasPrefix(s.source, "$") {
		r.fault(n.line, "%q is no JSONPath: it must begin with $", s.source)
		return s
	}
	if len(s.source) > maxPath {
		r.fault(n.line, "a JSONPath may have %d characters", maxPath)
		return s
	}
	s.value = r.templateText(s.source, n.line, placeholder.JSON)
	anything := func([]string) (any, bool) { return "x", true }
	text, err := s.value.Fill(anything, placeholder.Formats{})
	if err != nil {
		return s // a filter that wants more than any text shows its mistakes when it is played
	}
	query, err := parsePath(text)
	if err != nil {
		r.fault(n.line, "%s: %v", s.source, err)
		return s
	}
	if len(s.value.Names()) == 0 {
		s.query = query
	}
	return s
}

// pathOfRows reads a JSONPath that must be able to select several values.
func (r *reader) pathOfRows(n *node) selector {
	s := r.path(n)
	if s.query != nil && s.query.Singular() != nil {
		r.fault(n.line, "each %s selects one value; its items are %s[*]", s.source, s.source)
	}
	return s
}

func parsePath(text string) (*pathQuery, error) {
	p, err := jsonpath.Parse(text)
	if err != nil {
		// The library's words may quote a value of the request.
		reason, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "jsonpath: "), ":")
		return nil, fmt.Errorf("it is no JSONPath: %s", strings.Split(reason, `"`)[0])
	}
	return p.Query(), nil
}

var errTooMuch = errors.New("the paths take too long on an answer of this size")

// walker applies paths to one document. Members of an object are visited by
// their names, since JSON gives them no order; all else is as RFC 9535 has it.
type walker struct {
	left int // how many values may still be visited
}

// all lists what a query selects.
func (w *walker) all(q *pathQuery, document any) ([]any, error) {
	nodes := []any{document}
	for _, segment := range q.Segments() {
		var next []any
		for _, n := range nodes {
			var err error
			if next, err = w.segment(next, segment, n, document); err != nil {
				return nil, err
			}
		}
		nodes = next
	}
	return nodes, nil
}

// first returns the first value that a query selects, nil if there is none.
func (w *walker) first(q *pathQuery, document any) (any, error) {
	nodes, err := w.all(q, document)
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	return nodes[0], nil
}

// parent reports whether what a query picks from is there: for $.items[*], that
// is $.items.
func (w *walker) parent(q *pathQuery, document any) (bool, error) {
	segments := q.Segments()
	if len(segments) == 0 {
		return true, nil
	}
	nodes, err := w.all(spec.Query(true, segments[:len(segments)-1]...), document)
	return len(nodes) > 0, err
}

func (w *walker) segment(found []any, s *spec.Segment, node, root any) ([]any, error) {
	var err error
	for _, selector := range s.Selectors() {
		if found, err = w.selector(found, selector, node, root); err != nil {
			return nil, err
		}
	}
	if !s.IsDescendant() {
		return found, nil
	}
	for _, child := range children(node) {
		if found, err = w.segment(found, s, child, root); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (w *walker) selector(found []any, s spec.Selector, node, root any) ([]any, error) {
	if err := w.visit(1); err != nil {
		return nil, err
	}
	switch s := s.(type) {
	case spec.WildcardSelector:
		all := children(node)
		return append(found, all...), w.visit(len(all))
	case *spec.FilterSelector:
		cost := costOf(s)
		for _, child := range children(node) {
			if err := w.visit(cost.of(child, root)); err != nil {
				return nil, err
			}
			if s.Eval(child, root) {
				found = append(found, child)
			}
		}
		return found, nil
	}
	selected := s.Select(node, root)
	return append(found, selected...), w.visit(len(selected))
}

func (w *walker) visit(n int) error {
	if w.left -= n; w.left < 0 {
		return errTooMuch
	}
	return nil
}

func children(node any) []any {
	switch node := node.(type) {
	case []any:
		return node
	case map[string]any:
		all := make([]any, 0, len(node))
		for _, name := range slices.Sorted(maps.Keys(node)) {
			all = append(all, node[name])
		}
		return all
	}
	return nil
}

// cost reckons beforehand what a filter may look at, for one value that it is
// asked about: the library evaluates filters by itself.
type cost struct {
	spread int  // how many of its parts may go through several values
	whole  bool // it reads the whole document, not the value alone
}

var (
	quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	spreading  = regexp.MustCompile(`\.\.|[*?,:]`)
)

func costOf(f *spec.FilterSelector) cost {
	text := strings.TrimPrefix(quotedText.ReplaceAllString(f.String(), `""`), "?")
	return cost{spread: len(spreading.FindAllString(text, -1)), whole: strings.Contains(text, "$")}
}

func (c cost) of(node, root any) int {
	if c.spread == 0 {
		return 1
	}
	if c.whole {
		node = root
	}
	values, depth := size(node)
	// Each further part may go through what is below as often as it is deep.
	for range c.spread - 1 {
		if values > maxVisits {
			break
		}
		values *= depth
	}
	return values
}

// size counts the values of a document and how deep they nest.
func size(node any) (values, depth int) {
	values = 1
	visit := func(child any) {
		n, d := size(child)
		values, depth = values+n, max(depth, d)
	}
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			visit(child)
		}
	case map[string]any:
		for _, child := range node {
			visit(child)
		}
	}
	return values, depth + 1
}
