package sandboxtest

import (
	"encoding/json"
	"html"
	"strings"
)

// Answered checks that the last answer has this status and shows all of the
// texts.
func (v *Visitor) Answered(status int, texts ...string) {
	v.T.Helper()
	if v.Status != status {
		v.T.Errorf("%s: status %d, want %d", v.Path, v.Status, status)
	}
	v.Sees(texts...)
}

// Sees checks that the last answer shows all of the texts. They are compared
// with the source of a page in which character references are resolved, and
// may contain markup.
func (v *Visitor) Sees(texts ...string) {
	v.T.Helper()
	for _, text := range texts {
		if !v.shows(text) {
			v.T.Errorf("%s (%d) does not show %q", v.Path, v.Status, text)
		}
	}
}

// SeesNot checks that the last answer shows none of the texts.
func (v *Visitor) SeesNot(texts ...string) {
	v.T.Helper()
	for _, text := range texts {
		if v.shows(text) {
			v.T.Errorf("%s (%d) shows %q", v.Path, v.Status, text)
		}
	}
}

func (v *Visitor) shows(text string) bool { return strings.Contains(html.UnescapeString(v.Page), text) }

// At checks where the visitor is.
func (v *Visitor) At(path string) {
	v.T.Helper()
	if v.Path != path {
		v.T.Errorf("at %s (%d), want %s", v.Path, v.Status, path)
	}
}

// Decode decodes the last answer, which must be JSON.
func (v *Visitor) Decode(into any) {
	v.T.Helper()
	if err := json.Unmarshal([]byte(v.Page), into); err != nil {
		v.T.Fatalf("%s (%d): %v in %s", v.Path, v.Status, err, v.Page)
	}
}
