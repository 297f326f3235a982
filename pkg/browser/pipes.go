package browser

import (
	"fmt"
	"os"
	"strings"
)

// pipes are the two pipes of Chromium's debugging protocol: it reads commands
// from childIn, its descriptor 3, and writes to childOut, its descriptor 4.
type pipes struct {
	childIn, childOut *os.File
	in, out           *os.File // ours: what it says, what we say
}

func openPipes() (*pipes, error) {
	childIn, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("open its pipe: %w", err)
	}
	in, childOut, err := os.Pipe()
	if err != nil {
		_ = childIn.Close()
		_ = out.Close()
		return nil, fmt.Errorf("open its pipe: %w", err)
	}
	return &pipes{childIn: childIn, childOut: childOut, in: in, out: out}, nil
}

// closeChild closes our copies of Chromium's ends: with them open, we would
// never see its end.
func (p *pipes) closeChild() {
	_ = p.childIn.Close()
	_ = p.childOut.Close()
}

func (p *pipes) closeOurs() {
	_ = p.in.Close()
	_ = p.out.Close()
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
