package placeholder

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// checkPlace finds the placeholders that stand where no escaping can be right.
func (t *Template) checkPlace() error {
	switch t.place {
	case XPath:
		return t.checkQuotes(`"'`, false)
	case Expression:
		return t.checkQuotes("\"'`", true)
	case JSON:
		return t.checkQuotes(`"'`, true)
	}
	return nil
}

// checkQuotes notes in which quote each part stands. In XPath, which knows no
// escapes, a placeholder must stand inside quotes; in JSON and JavaScript it
// is a literal of its own and must stand outside.
func (t *Template) checkQuotes(quotes string, escapes bool) error {
	quote := byte(0)
	for i := range t.parts {
		p := &t.parts[i]
		if p.value != nil {
			p.quote = quote
			if t.place == XPath && quote == 0 {
				return fmt.Errorf("placeholder {{ %s }} must stand inside quotes in XPath", p.value.name())
			}
			if t.place != XPath && quote != 0 {
				return fmt.Errorf("placeholder {{ %s }} must stand outside quotes: it brings its own", p.value.name())
			}
			continue
		}
		for j := 0; j < len(p.literal); j++ {
			c := p.literal[j]
			switch {
			case escapes && quote != 0 && c == '\\':
				j++
			case quote == c:
				quote = 0
			case quote == 0 && strings.IndexByte(quotes, c) >= 0:
				quote = c
			}
		}
	}
	if quote != 0 && t.place == XPath && len(t.Names()) > 0 {
		return errors.New("a quote is not closed")
	}
	return nil
}

// fillXPath gathers each quoted string with the values inside it and writes
// it anew, with quotes that it does not hold, or as concat().
func (t Template) fillXPath(scope Scope, formats Formats) (string, error) {
	if len(t.Names()) == 0 {
		return t.source, nil
	}
	var out, quoted strings.Builder
	quote := byte(0)
	for _, p := range t.parts {
		if p.value != nil {
			v, err := p.value.resolve(scope, formats)
			if err != nil {
				return "", err
			}
			s, err := selecting(v)
			if err != nil {
				return "", &Error{Name: p.value.name(), Reason: err.Error()}
			}
			quoted.WriteString(s)
			continue
		}
		for j := range len(p.literal) {
			switch c := p.literal[j]; {
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			case quote == 0:
				out.WriteByte(c)
			case quote == c:
				out.WriteString(xpathString(quoted.String()))
				quoted.Reset()
				quote = 0
			default:
				quoted.WriteByte(c)
			}
		}
	}
	return out.String(), nil
}

func xpathString(s string) string {
	if !strings.Contains(s, `"`) {
		return `"` + s + `"`
	}
	if !strings.Contains(s, `'`) {
		return `'` + s + `'`
	}
	var parts []string
	for s != "" {
		quote := `"`
		if s[0] == '"' {
			quote = `'`
		}
		n := strings.IndexByte(s, quote[0])
		if n < 0 {
			n = len(s)
		}
		parts, s = append(parts, quote+s[:n]+quote), s[n:]
	}
	return "concat(" + strings.Join(parts, ",") + ")"
}

// fillExpression puts values in as arguments of a function around the
// expression: an identifier stays one token wherever it stands, so that not
// even a placeholder which the reader of quotes misjudged can become code.
func (t Template) fillExpression(scope Scope, formats Formats) (string, error) {
	var body strings.Builder
	var names, args []string
	for _, p := range t.parts {
		if p.value == nil {
			body.WriteString(p.literal)
			continue
		}
		v, err := p.value.resolve(scope, formats)
		if err != nil {
			return "", err
		}
		arg, err := literal(v)
		if err != nil {
			return "", &Error{Name: p.value.name(), Reason: err.Error()}
		}
		name := "placeholder" + strconv.Itoa(len(names)+1)
		names, args = append(names, name), append(args, arg)
		body.WriteString(" " + name + " ")
	}
	return "((" + strings.Join(names, ", ") + ") => (" + body.String() + "\n))(" + strings.Join(args, ", ") + ")", nil
}
