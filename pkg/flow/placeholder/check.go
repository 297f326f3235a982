package placeholder

// Check resolves those placeholders whose values are known already, and so
// finds missing and unfit ones before anything is done. When all are known the
// text is returned, filled; done says so. The error is an *Error.
func (t Template) Check(scope Scope, known func(path []string) bool, formats Formats) (text string, done bool, err error) {
	done = true
	for _, p := range t.parts {
		if p.value == nil {
			continue
		}
		if !known(p.value.path) {
			done = false
			continue
		}
		if _, err := p.value.resolve(scope, formats); err != nil {
			return "", false, err
		}
	}
	if !done {
		return "", false, nil
	}
	text, err = t.Fill(scope, formats)
	return text, err == nil, err
}
