package draft

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The files for editors that stand beside the flows.
const (
	SiteSchema = "site.schema.json"
	FlowSchema = "flow.schema.json"
)

const schemaComment = "# yaml-language-server: $schema="

// write writes a flow in YAML; title is for a recording without one, and end
// is YAML that follows its steps.
func write(title string, r *Recording, end string) string {
	var b strings.Builder
	b.WriteString(schemaComment + FlowSchema + "\n")
	if !slices.ContainsFunc(r.keys, func(k key) bool { return k.name == "title" }) {
		fmt.Fprintf(&b, "title: %s\n", title)
	}
	for _, k := range r.keys {
		fmt.Fprintf(&b, "%s: %s\n", k.name, flowStyle(k.value))
	}
	b.WriteString("steps:\n")
	for _, s := range r.Steps {
		s.write(&b)
	}
	b.WriteString(end)
	return b.String()
}

// lineWidth is how long a step on one line may be.
const lineWidth = 130

func (s *Step) write(b *strings.Builder) {
	if s.raw != "" {
		b.WriteString(s.raw)
		return
	}
	if s.comment != "" {
		b.WriteString("  # " + s.comment + "\n")
	}
	parts := make([]string, len(s.keys))
	for i, k := range s.keys {
		parts[i] = k.name + ": " + flowStyle(k.value)
	}
	if line := strings.Join(parts, ", "); s.get("selectors") == nil && len(line) < lineWidth {
		fmt.Fprintf(b, "  - {%s}\n", line)
		return
	}
	mark := "  - "
	for i, k := range s.keys {
		b.WriteString(mark)
		mark = "    "
		if all := s.selectors(); k.name == "selectors" && all != nil {
			b.WriteString("selectors:\n")
			for _, chain := range all {
				fmt.Fprintf(b, "      - %s\n", flowStyle(json.RawMessage(quoted(chain))))
			}
			continue
		}
		b.WriteString(parts[i] + "\n")
	}
}

// plainWord is a text that needs no quotes in YAML.
var plainWord = regexp.MustCompile(`^[a-z]+[A-Z][A-Za-z]*$|^(?:navigate|click|hover|change|scroll|close|navigation|main|mouse|touch|pen|primary|secondary|auxiliary)$`)

// flowStyle writes JSON as YAML on one line: the same, with spaces, and
// without the quotes of plain words.
func flowStyle(raw json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && list != nil {
		parts := make([]string, len(list))
		for i, item := range list {
			parts[i] = flowStyle(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if keys, err := members(raw); err == nil {
		parts := make([]string, len(keys))
		for i, k := range keys {
			parts[i] = quotedUnlessPlain(k.name) + ": " + flowStyle(k.value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	var text string
	if json.Unmarshal(raw, &text) == nil && string(raw) != "null" {
		return quotedUnlessPlain(text)
	}
	return string(raw)
}

func quotedUnlessPlain(text string) string {
	if plainWord.MatchString(text) || text == "type" || text == "url" || text == "title" {
		return text
	}
	return quoted(text)
}

// site writes site.yaml.
func (m *maker) site() {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s%s", schemaComment, SiteSchema)
	line("site: %s", m.Name)
	line("integration: %s", m.Integration)
	line("baseUrl: %s", quoted(m.BaseURL))
	if len(m.origins) > 0 {
		line("origins: %s", flowStyle(json.RawMessage(quoted(m.origins))))
	}
	line("timeout: 10000")
	line("# dates: \"MM/DD/YYYY\"   # how this application writes dates; also times, timezone, numbers, currency")
	if m.SignIn != nil {
		line("signIn:")
		line("  flow: sign-in.yaml")
		line("  home: %s   # a page that tells whether one is signed in", quoted(m.home))
		line("  signedIn: {selectors: [[\"\"]]}   # what only the signed-in see there")
		if m.entry != nil {
			line("  signedOut: {selectors: %s}", flowStyle(json.RawMessage(quoted(m.entry))))
		}
		line("  # rejected: {selectors: [[\"\"]]}   # what shows when the password is wrong")
	} else {
		m.note("site.yaml: without signIn, operations are played as a guest: record how to sign in, and give it with --sign-in")
	}
	if len(m.Operations) == 0 {
		line("operations: {}")
	} else {
		line("operations:")
	}
	for _, op := range m.Operations {
		parts := []string{"flow: " + op.Name + ".yaml"}
		if op.Reconcile != nil {
			parts = append(parts, "reconcile: "+op.Name+".reconcile.yaml")
		}
		if names := m.unused(op); len(names) > 0 {
			parts = append(parts, "unsupported: ["+strings.Join(names, ", ")+"]")
		}
		line("  %s: {%s}", op.Name, strings.Join(parts, ", "))
	}
	m.draft.Files[flowSite] = b.String()
}

// applied are fields that the service applies where the flow does not.
var applied = []string{"limit", "startIndex", "page", "pageSize"}

// unused lists the optional fields that the operation's flow does not use. A
// flow that uses none at all is not finished, and the check is to say so.
func (m *maker) unused(op Operation) []string {
	text := m.draft.Files[op.Name+".yaml"]
	var names []string
	used := false
	for _, f := range op.Request {
		switch {
		case strings.Contains(text, "{{ "+f.Name+" }}"), strings.Contains(text, "{{ "+f.Name+"."):
			used = true
		case !f.Required && !slices.Contains(applied, f.Name):
			names = append(names, f.Name)
		}
	}
	if !used {
		return nil
	}
	return names
}
