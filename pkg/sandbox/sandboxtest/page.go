package sandboxtest

import (
	"html"
	"net/url"
	"regexp"
	"strings"
)

// What pages say in their markup, as the stand-ins write it.
var (
	scriptToken = regexp.MustCompile(`<meta name="csrf-token" content="([^"]+)">`)
	forms       = regexp.MustCompile(`(?s)<form ([^>]*)>(.*?)</form>`)
	formAction  = regexp.MustCompile(`\baction="([^"]*)"`)
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
	nextLink    = regexp.MustCompile(`<a rel="next" href="([^"]*)"`)
)

// Form returns the hidden fields of the page's first form that is posted to
// this action. A form without one is posted to where the page is.
func (v *Visitor) Form(action string) url.Values {
	v.T.Helper()
	for _, form := range forms.FindAllStringSubmatch(v.Page, -1) {
		tag, content := form[1], form[2]
		if strings.Contains(tag, `method="post"`) && v.target(tag) == action {
			return hiddenFields(content)
		}
	}
	v.T.Fatalf("%s (%d) has no form for %s", v.Path, v.Status, action)
	return nil
}

// target is where the form with this tag is posted to.
func (v *Visitor) target(tag string) string {
	action := formAction.FindStringSubmatch(tag)
	if action == nil {
		return v.Path
	}
	return html.UnescapeString(action[1])
}

func hiddenFields(form string) url.Values {
	fields := url.Values{}
	for _, field := range hiddenField.FindAllStringSubmatch(form, -1) {
		fields.Add(html.UnescapeString(field[1]), html.UnescapeString(field[2]))
	}
	return fields
}

// Attributes returns the values that an attribute has on the page, from top to
// bottom.
func (v *Visitor) Attributes(name string) []string {
	var values []string
	for _, found := range regexp.MustCompile(`\s`+regexp.QuoteMeta(name)+`="([^"]*)"`).FindAllStringSubmatch(v.Page, -1) {
		values = append(values, html.UnescapeString(found[1]))
	}
	return values
}

// Next returns where the page's link to the next page of a list leads, or ""
// on the last one.
func (v *Visitor) Next() string {
	link := nextLink.FindStringSubmatch(v.Page)
	if link == nil {
		return ""
	}
	return html.UnescapeString(link[1])
}
