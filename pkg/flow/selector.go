package flow

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"integration.gateway/pkg/flow/placeholder"
	"integration.gateway/pkg/flow/tab"
)

// selector is one way to find elements, with placeholders. Its kind, and the
// role of an aria/ selector, are read from the flow alone: no value can change
// them.
type selector struct {
	source string
	by     string
	value  placeholder.Template
	role   string
	query  *pathQuery // of a JSONPath without placeholders
}

// selectors are alternatives, each a chain.
type selectors [][]selector

var prefixes = []struct {
	prefix, by string
	place      placeholder.Place
}{
	{"css/", "css", placeholder.CSS},
	{"pierce/", "pierce", placeholder.CSS},
	{"xpath/", "xpath", placeholder.XPath},
	{"text/", "text", placeholder.Plain},
	{"aria/", "aria", placeholder.Plain},
}

// ariaAttribute is [role="button"] or [name="Buy"] at the end of aria/.
var ariaAttribute = regexp.MustCompile(`\[\s*(role|name)\s*=\s*(?:"([^"]*)"|'([^']*)')\s*\]\s*$`)

func (r *reader) selector(n *node) selector {
	if n.kind != isText {
		r.fault(n.line, "a selector must be a text, not %s", n.kind)
	} else if strings.TrimSpace(n.text) == "" {
		r.fault(n.line, "a selector is empty")
	}
	return r.selectorText(n.text, n.line)
}

func (r *reader) selectorText(source string, line int) selector {
	s := selector{source: source, by: "css"}
	text, place := source, placeholder.CSS
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(source, p.prefix); ok {
			s.by, text, place = p.by, rest, p.place
		}
	}
	for s.by == "aria" {
		found := ariaAttribute.FindStringSubmatchIndex(text)
		if found == nil {
			break
		}
		match := ariaAttribute.FindStringSubmatch(text)
		text = text[:found[0]]
		if match[1] == "role" {
			s.role = match[2] + match[3]
		} else {
			text += match[2] + match[3]
		}
	}
	s.value = r.templateText(text, line, place)
	if isBlank(text) && s.role == "" && s.by != "css" {
		r.fault(line, "the selector %s says nothing to look for", source)
	}
	return s
}

// selectors reads alternatives: a list in which each is a text or a chain of
// texts. A text alone is the only alternative.
func (r *reader) selectors(n *node) selectors {
	if n == nil {
		return nil
	}
	if n.kind == isText {
		return selectors{{r.selector(n)}}
	}
	if n.kind != isList || len(n.items) == 0 {
		r.fault(n.line, "selectors must be a list of alternatives")
		return nil
	}
	var all selectors
	for _, alternative := range n.items {
		chain := alternative.items
		if alternative.kind == isText {
			chain = []*node{alternative}
		}
		if len(chain) == 0 {
			r.fault(alternative.line, "an alternative must be a selector or a chain of them")
			continue
		}
		var parts []selector
		for _, part := range chain {
			parts = append(parts, r.selector(part))
		}
		all = append(all, parts)
	}
	return all
}

// String names the selectors in messages by their first alternative, as it is
// written in the flow.
func (s selectors) String() string {
	if len(s) == 0 {
		return ""
	}
	return s.alternative(0)
}

func (s selectors) alternative(i int) string {
	parts := make([]string, len(s[i]))
	for j, part := range s[i] {
		parts[j] = part.source
	}
	return strings.Join(parts, " >> ")
}

func (s selector) fill(p *player) (tab.Selector, error) {
	value, err := p.fill(s.value)
	if err == nil && s.value.Place() == placeholder.Plain && isBlank(value) && !isBlank(s.value.String()) {
		// Every element has a blank in it, or no name.
		err = &Failure{Outcome: Invalid, Message: fmt.Sprintf("the selector %s is blank with the value given", s.source)}
	}
	return tab.Selector{By: s.by, Value: value, Role: s.role}, err
}

// isBlank tells whether folding the spaces of a text, as the page does it,
// leaves nothing.
func isBlank(text string) bool {
	const byteOrderMark = '\ufeff' // a space to JavaScript alone
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == byteOrderMark }) == ""
}

func (s selectors) fill(p *player) (tab.Selectors, error) {
	var all tab.Selectors
	for _, chain := range s {
		filled := make([]tab.Selector, len(chain))
		for i, part := range chain {
			var err error
			if filled[i], err = part.fill(p); err != nil {
				return nil, err
			}
		}
		all = append(all, filled)
	}
	return all, nil
}
