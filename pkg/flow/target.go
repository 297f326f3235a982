package flow

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// mainTarget is the Recorder's name for the page that a flow begins with.
const mainTarget = "main"

// aim takes the player to a step's target: the page, a tab that has been opened
// from it, or a frame that Chromium keeps in another process, which the
// Recorder names by its address as well. Without a target, a step is for that
// of the step around it. It returns the step with the frame that it means from
// the page inwards, and what leads back.
func (p *player) aim(ctx context.Context, s *Step) (*Step, func(), error) {
	outer, frame := p.tab, p.frame
	back := func() { p.tab, p.frame = outer, frame }
	if !s.target.IsZero() {
		if err := p.tabFor(ctx, s); err != nil {
			return s, back, err
		}
	}
	if len(p.frame) > 0 {
		inner := *s
		inner.frame = slices.Concat(p.frame, s.frame)
		return &inner, back, nil
	}
	return s, back, nil
}

// tabFor waits for a step's target and goes there.
func (p *player) tabFor(ctx context.Context, s *Step) error {
	address, err := p.fill(s.target)
	if err != nil {
		return err
	}
	if address == mainTarget {
		p.tab, p.frame = p.tab.Main(), nil
		return nil
	}
	limit := p.timeoutOf(s)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("there was no tab or frame %s within %s", s.target, limit))
	defer cancel()
	found, frame, err := p.tab.Find(ctx, p.site.matches(address))
	if err == nil {
		p.tab, p.frame = found, frame
	}
	return err
}

// escaped are the characters of an address to compare with: those that stand
// for more, and those that are written with a backslash.
var escaped = regexp.MustCompile(`\\[\\*]|\*`)

// matches compares addresses with one in which * is anything; a path alone is
// one of the site.
func (s *Site) matches(pattern string) func(address string) bool {
	if strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "//") {
		pattern = s.BaseURL + pattern
	}
	var source strings.Builder
	rest := pattern
	for _, at := range escaped.FindAllStringIndex(pattern, -1) {
		source.WriteString(regexp.QuoteMeta(pattern[len(pattern)-len(rest) : at[0]]))
		if found := pattern[at[0]:at[1]]; found == "*" {
			source.WriteString(".*")
		} else {
			source.WriteString(regexp.QuoteMeta(found[1:]))
		}
		rest = pattern[at[1]:]
	}
	source.WriteString(regexp.QuoteMeta(rest))
	compared := regexp.MustCompile("(?s)^" + source.String() + "$")
	return compared.MatchString
}
