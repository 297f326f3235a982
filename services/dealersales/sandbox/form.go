package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// form reads what was typed into a form. The first thing that it does not take
// is its refusal.
type form struct {
	r       *http.Request
	refusal refusal
}

// refuse keeps the first refusal.
func (f *form) refuse(format string, args ...any) {
	if f.refusal == "" {
		f.refusal = refusal(fmt.Sprintf(format, args...))
	}
}

// text reads a field that holds at most so many characters.
func (f *form) text(name string, most int) string {
	text := strings.TrimSpace(strings.ReplaceAll(f.r.PostFormValue(name), "\r\n", "\n"))
	if utf8.RuneCountInString(text) > most || !utf8.ValidString(text) {
		f.refuse("What stands under %q is longer than %d characters, or no text.", name, most)
	}
	return text
}

// word reads a field that holds a number of a record or an entry of a list.
func (f *form) word(name string) string { return f.text(name, 200) }

// phone reads a telephone number.
func (f *form) phone(name string) string {
	text := f.word(name)
	if text != "" && len(digits(text)) < 7 {
		f.refuse("%s is no telephone number.", text)
	}
	return text
}

// moments are the ways in which a time can be typed.
var moments = []string{"2006-01-02T15:04", time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", "1/2/2006 3:04 PM"}

// time reads a time on the dealers' clock.
func (f *form) time(name string, zone *time.Location) time.Time {
	text := f.word(name)
	for _, layout := range moments {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t
		}
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.In(zone)
	}
	f.refuse("%q is no date and time. Write it like 2026-11-28T10:00.", text)
	return time.Time{}
}

// digits leaves of a telephone number what counts: its digits, without the
// country's.
func digits(phone string) string {
	var b strings.Builder
	for _, c := range phone {
		if '0' <= c && c <= '9' {
			b.WriteRune(c)
		}
	}
	text := b.String()
	if len(text) == 11 && text[0] == '1' {
		return text[1:]
	}
	return text
}
