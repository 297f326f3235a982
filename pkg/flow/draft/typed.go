package draft

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What was typed while recording: secrets, and values of request fields.

// relocate takes the base URL out of the addresses, so that the folder serves
// other deployments too.
func (m *maker) relocate(r *Recording) {
	for _, s := range r.Steps {
		if s.kind() == "navigate" {
			s.set("url", m.relative(s.text("url")))
		}
		s.mapAssertions(func(name, text string) string {
			if name == "url" {
				return m.relative(text)
			}
			return text
		})
	}
}

func (m *maker) relative(address string) string {
	rest, ok := strings.CutPrefix(address, m.BaseURL)
	if ok && (rest == "" || strings.ContainsAny(rest[:1], "/?#")) {
		return "{{ baseUrl }}" + rest
	}
	return address
}

// mapAssertions changes the texts of asserted events.
func (s *Step) mapAssertions(change func(name, text string) string) {
	var events []json.RawMessage
	if json.Unmarshal(s.get("assertedEvents"), &events) != nil || events == nil {
		return
	}
	for i, raw := range events {
		keys, err := members(raw)
		if err != nil {
			continue
		}
		event := &Step{keys: keys}
		for _, name := range []string{"url", "title"} {
			if text := event.text(name); text != "" {
				event.set(name, change(name, text))
			}
		}
		events[i] = event.json()
	}
	s.set("assertedEvents", events)
}

// numbered is a word with a number in it, as one case of many has one.
var numbered = regexp.MustCompile(`[^/?&=#\s]*[0-9]{3,}[^/?&=#\s]*`)

// anyCase lets asserted addresses and titles fit other orders than the one
// that was recorded.
func (s *Step) anyCase() {
	s.mapAssertions(func(name, text string) string {
		place := ""
		if name == "url" {
			if place = originOf(text); place == "" || !strings.HasPrefix(text, place) {
				place = ""
			}
		}
		return place + numbered.ReplaceAllString(text[len(place):], "*")
	})
}

// codeWords are what fields for one-time codes are called.
var codeWords = regexp.MustCompile(`(?i)\botp\b|totp|one.?time|2fa|mfa|verification|\bcode\b|passcode`)

// typedSigningIn puts placeholders in the place of what was typed to sign in.
// What is neither name, password nor code is not copied either: who knows what
// it is.
func (m *maker) typedSigningIn(file string, r *Recording) {
	r.Steps = slices.DeleteFunc(r.Steps, func(s *Step) bool {
		return (s.kind() == "keyDown" || s.kind() == "keyUp") && utf8.RuneCountInString(s.text("key")) == 1
	})
	var typed []*Step
	for _, s := range r.Steps {
		if s.kind() == "change" {
			typed = append(typed, s)
		}
	}
	password := slices.IndexFunc(typed, func(s *Step) bool { return s.asksForPassword() && !s.asksForCode() })
	if password < 0 { // by its place, then
		password = len(typed) - 1
	}
	for i, s := range typed {
		value := s.text("value")
		switch {
		case i == password || s.asksForPassword() && !s.asksForCode():
			m.passwords = append(m.passwords, value)
			s.set("value", "{{ account.password }}")
		case s.asksForCode():
			s.set("value", "{{ account.oneTimeCode }}")
		case i == password-1:
			s.set("value", "{{ account.username }}")
		default:
			s.set("value", "")
			s.comment = "What was typed here was not copied: write it down, or take the step out."
			m.note("%s: %s typed something that is neither user name nor password; it was not copied", file, s)
		}
		if m.entry == nil {
			m.entry = s.selectors()
		}
	}
	if password < 0 {
		m.note("%s: the recording types no password", file)
	}
}

func (s *Step) asksForCode() bool {
	return slices.ContainsFunc(s.selectorTexts(), codeWords.MatchString)
}

// typedOperating puts the request's fields in the place of their values, as
// far as these are known, and tells what else was typed.
func (m *maker) typedOperating(file string, r *Recording, op Operation) {
	fields := m.fieldsOf(op)
	for i, s := range r.Steps {
		if s.kind() == "change" && s.asksForPassword() {
			m.passwords = append(m.passwords, s.text("value"))
			s.set("value", "")
			s.comment = "A password was typed here. Operations are played signed in; record them so."
			m.note("%s step %d (%s): a password was typed; it was not copied", file, i+1, s)
			continue
		}
		before := s.text("value")
		s.place(fields)
		s.anyCase()
		if s.kind() == "change" && before != "" && s.text("value") == before {
			s.comment = "Typed when this was recorded, and typed so ever after, unless a field of the request takes its place."
			m.note("%s step %d (%s) types %s: if that is a field of the request, write {{ FIELD }} there, or make the folder with --input '{\"FIELD\":%s}'",
				file, i+1, s, quoted(before), quoted(before))
		}
	}
}

// known is a field of the request whose value was typed.
type known struct{ placeholder, value string }

// fieldsOf lists the values that are an operation's, the longest first.
func (m *maker) fieldsOf(op Operation) []known {
	var list []known
	for name, value := range m.Inputs {
		first, _, _ := strings.Cut(name, ".")
		if value != "" && slices.ContainsFunc(op.Request, func(f Field) bool { return f.Name == first }) {
			list = append(list, known{"{{ " + name + " }}", value})
		}
	}
	slices.SortFunc(list, func(a, b known) int {
		if len(a.value) != len(b.value) {
			return len(b.value) - len(a.value)
		}
		return strings.Compare(a.placeholder, b.placeholder)
	})
	return list
}

// place puts placeholders in the place of known values.
func (s *Step) place(fields []known) {
	for _, f := range fields {
		switch s.kind() {
		case "change":
			if s.text("value") == f.value {
				s.set("value", f.placeholder)
			}
		case "navigate":
			address := s.text("url")
			for _, form := range []string{f.value, url.QueryEscape(f.value), url.PathEscape(f.value)} {
				address = replaceWord(address, form, f.placeholder)
			}
			s.set("url", address)
		}
		if all := s.selectors(); all != nil {
			for _, chain := range all {
				for i := range chain {
					chain[i] = replaceWord(chain[i], f.value, f.placeholder)
				}
			}
			s.set("selectors", all)
		}
		s.mapAssertions(func(_, text string) string {
			text = replaceWord(text, f.value, f.placeholder)
			for _, form := range []string{url.QueryEscape(f.value), url.PathEscape(f.value)} {
				text = replaceWord(text, form, "*") // it is compared as it stands
			}
			return text
		})
	}
}

// replaceWord replaces a text where it stands by itself. A single character is
// found everywhere, so it is left.
func replaceWord(text, word, by string) string {
	if utf8.RuneCountInString(word) < 2 {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, word)
		if i < 0 {
			break
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(word):])
		b.WriteString(text[:i])
		if isWordy(before) || isWordy(after) {
			b.WriteString(word)
		} else {
			b.WriteString(by)
		}
		text = text[i+len(word):]
	}
	return b.String() + text
}

func isWordy(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// Flatten lists the values of a request by their dotted names.
func Flatten(fields map[string]any) map[string]string {
	flat := map[string]string{}
	var add func(name string, value any)
	add = func(name string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for inner, value := range v {
				add(strings.TrimPrefix(name+"."+inner, "."), value)
			}
		case []any:
			for i, value := range v {
				add(fmt.Sprintf("%s.%d", name, i), value)
			}
		case bool, nil: // they are ticked, not typed
		default:
			flat[name] = fmt.Sprint(v)
		}
	}
	add("", fields)
	return flat
}
