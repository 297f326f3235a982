package flow

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"integration.gateway/pkg/flow/placeholder"
)

// fill fills a template with the values at hand.
func (p *player) fill(t placeholder.Template) (string, error) {
	text, err := t.Fill(p.lookup, p.site.formats)
	if err != nil {
		return "", err
	}
	if t.Place() == placeholder.URL {
		if err := p.allow(text); err != nil {
			return "", err
		}
	}
	return text, nil
}

// fillAddress fills an address to compare with. One that begins with a path
// counts from the base URL, as it does for navigate.
func (p *player) fillAddress(t placeholder.Template) (string, error) {
	text, err := p.fill(t)
	if base, bad := url.Parse(p.site.BaseURL); err == nil && bad == nil && strings.HasPrefix(text, "/") {
		text = base.EscapedPath() + text
	}
	return text, err
}

// allow refuses an address outside of the site's origins.
func (p *player) allow(address string) error {
	if p.site.allows(p.site.absolute(address)) {
		return nil
	}
	return &Failure{Outcome: Invalid, Message: "the address is not one of the site's: it must begin with " + strings.Join(p.site.Origins(), " or ")}
}

// lookup finds the value of a placeholder's name.
func (p *player) lookup(name []string) (any, bool) {
	if !isNamespace(name) {
		return dig(p.job.Request, name)
	}
	rest := name[1:]
	switch name[0] {
	case "baseUrl":
		return p.site.BaseURL, true
	case "page":
		return p.tab.Address(), true
	case "vars":
		return dig(p.vars, rest)
	case "session":
		return dig(p.session, rest)
	case "site":
		return dig(p.site.defaults, rest)
	case "row":
		return dig(p.current, rest)
	case "each":
		return dig(p.each, rest)
	case "localStorage":
		return p.storedItem(rest)
	case "command":
		if rest[0] == "startedAt" {
			return p.job.StartedAt, !p.job.StartedAt.IsZero()
		}
		return p.job.CommandID, p.job.CommandID != ""
	case "account":
		return p.credential(rest[0])
	}
	return nil, false
}

func (p *player) credential(name string) (any, bool) {
	if p.credentials == nil || !p.signing {
		return nil, false
	}
	switch name {
	case "username":
		return p.credentials.Username, true
	case "password":
		return p.credentials.Password, true
	}
	return p.code, p.code != ""
}

// known reports whether the name has its value before the browser is touched.
func (p *player) known(name []string) bool {
	return !isNamespace(name) || name[0] == "baseUrl" || name[0] == "site" || name[0] == "command"
}

// given reports whether the request gives a field: it is there and not empty.
func (p *player) given(field string) bool {
	v, ok := dig(p.job.Request, strings.Split(field, "."))
	if !ok || v == nil || v == "" {
		return false
	}
	list, isList := v.([]any)
	return !isList || len(list) > 0
}

// dig follows a dotted name into objects and lists.
func dig(v any, name []string) (any, bool) {
	for _, part := range name {
		switch inner := v.(type) {
		case map[string]any:
			next, ok := inner[part]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(inner) {
				return nil, false
			}
			v = inner[i]
		default:
			return nil, false
		}
	}
	return v, v != nil
}

// abridged makes the application's own text fit for a message: one line, not
// too long, and without what must not be told.
func (p *player) abridged(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, secret := range p.secrets() {
		text = strings.ReplaceAll(text, strings.Join(strings.Fields(secret), " "), "…")
	}
	const limit = 500
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	return text
}

// secrets are the texts that no message may hold, not even one for the caller
// alone: what the account signs in with, and what its requests took from the
// page's storage, such as tokens.
func (p *player) secrets() []string {
	all := slices.Clone(p.tokens)
	if c := p.credentials; c != nil {
		all = append(all, c.Password, c.OneTimeSecret, c.Username, p.code)
	}
	const short = 4 // a shorter text would tear words apart and tells nothing
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < short })
}
