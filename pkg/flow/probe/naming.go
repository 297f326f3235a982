package probe

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words are the words of a selector or of a column's head.
var words = regexp.MustCompile(`[\p{L}\p{N}]+`)

// nameFor proposes a name for a field: the head of its column, or the last
// words of its selector.
func (g Group) nameFor(head string, f Field) string {
	text := head
	if text == "" {
		text = strings.TrimPrefix(f.Selector, "@data-")
		if i := strings.LastIndexAny(text, `="`); i > 0 {
			text = strings.Trim(text, `[]"'`)
			text = text[strings.LastIndexAny(text, `="`)+1:]
		}
	}
	parts := words.FindAllString(text, -1)
	row := words.FindAllString(g.Each, -1)
	if len(parts) > 1 && slices.Contains(row, parts[0]) {
		parts = parts[1:] // .product-title in .product-card
	}
	name := ""
	for i, p := range parts {
		if p = strings.ToLower(p); i > 0 {
			p = capital(p)
		}
		name += p
	}
	if first, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(first) {
		name = "field" + capital(name)
	}
	switch f.Attribute {
	case "href":
		name += "Url"
	case "src":
		if !strings.Contains(strings.ToLower(name), "image") {
			name += "Image"
		}
		name += "Url"
	}
	taken := func(n string) bool { return slices.ContainsFunc(g.Fields, func(f Field) bool { return f.Name == n }) }
	for i, base := 2, name; taken(name); i++ {
		name = fmt.Sprintf("%s%d", base, i)
	}
	return name
}

func capital(word string) string {
	runes := []rune(word)
	if len(runes) > 0 {
		runes[0] = unicode.ToUpper(runes[0])
	}
	return string(runes)
}
