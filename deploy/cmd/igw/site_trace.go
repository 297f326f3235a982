package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"integration.gateway/pkg/flow"
)

// shownStep is a step that was played, as the commands about sites tell it.
type shownStep struct {
	File   string         `json:"file"`
	Step   string         `json:"step"`
	What   string         `json:"what"`
	TookMS int64          `json:"tookMs"`
	SignIn bool           `json:"signIn,omitempty"`
	Found  []shownFinding `json:"found,omitempty"`

	took time.Duration
}

// shownFinding tells which alternative was found where a step had several.
type shownFinding struct {
	Selector    string `json:"selector"`
	Alternative int    `json:"alternative"` // 1 is the first
	Of          int    `json:"of"`
}

func shownSteps(trace flow.Trace) []shownStep {
	steps := make([]shownStep, 0, len(trace.Steps))
	for _, s := range trace.Steps {
		shown := shownStep{File: s.File, Step: s.Number, What: s.Name, TookMS: s.Took.Milliseconds(), SignIn: s.SignIn, took: s.Took}
		for _, c := range s.Choices {
			shown.Found = append(shown.Found, shownFinding{Selector: c.Selector, Alternative: c.Won + 1, Of: c.Listed})
		}
		steps = append(steps, shown)
	}
	return steps
}

// printSteps shows a trace as a table. Steps inside of others stand further in.
func printSteps(w io.Writer, steps []shownStep) error {
	if len(steps) == 0 {
		return nil
	}
	rows := [][]string{{"  FLOW", "STEP", "TOOK", "WHAT", "FOUND BY"}}
	for _, s := range steps {
		indent := strings.Repeat("  ", strings.Count(s.Step, ".")/2)
		rows = append(rows, []string{"  " + s.File, s.Step, brief(s.took), indent + abridged(s.What, 60), s.foundBy()})
	}
	return columns(w, rows)
}

// columns writes a table, without spaces at the end of its lines.
func columns(w io.Writer, rows [][]string) error {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = printable(row[i])
		}
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	return nil
}

// foundBy is empty where nothing was looked for, and tells most where the
// first alternative did not win.
func (s shownStep) foundBy() string {
	var texts []string
	for _, f := range s.Found {
		text := fmt.Sprintf("%d of %d", f.Alternative, f.Of)
		if f.Alternative > 1 {
			text += fmt.Sprintf(": %s, not the first", abridged(f.Selector, 60))
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// brief is a time in three digits or so.
func brief(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// abridged is a text on one line of a table.
func abridged(text string, limit int) string {
	runes := []rune(printable(strings.Join(strings.Fields(text), " ")))
	if len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return string(runes)
}

// shownFailure is why a flow ended early.
type shownFailure struct {
	Message  string       `json:"message"`
	Outcome  flow.Outcome `json:"outcome,omitempty"`
	Declared bool         `json:"declared"` // the application's own answer: the flow did not break
	InDoubt  bool         `json:"inDoubt,omitempty"`
	File     string       `json:"file,omitempty"`
	Line     int          `json:"line,omitempty"`
	Step     string       `json:"step,omitempty"`
	Cause    string       `json:"cause,omitempty"`
	Address  string       `json:"address,omitempty"`
	Near     []string     `json:"near,omitempty"`
	Picture  string       `json:"picture,omitempty"` // the file
}

// shown describes a failure, and writes the picture of its page to a file: the
// one that is named, or a new one in the temporary folder.
func shown(err error, operation, pictureFile string) *shownFailure {
	var f *flow.Failure
	if !errors.As(err, &f) {
		return &shownFailure{Message: err.Error()}
	}
	s := &shownFailure{
		Message: f.Error(), Outcome: f.Outcome, Declared: f.Declared, InDoubt: f.EffectStarted && !f.NotActed && !f.Refusal(),
		File: f.File, Line: f.Line, Step: f.Step,
	}
	if f.Err != nil && !strings.Contains(f.Message, f.Err.Error()) {
		s.Cause = f.Err.Error()
	}
	if f.Picture == nil {
		return s
	}
	s.Address, s.Near = f.Picture.Address, f.Picture.Near
	if len(f.Picture.Image) > 0 {
		if s.Picture, err = writePicture(f.Picture.Image, operation, pictureFile); err != nil {
			s.Picture = "not written: " + err.Error()
		}
	}
	return s
}

// writePicture writes a picture, which may show personal data, so that only
// its owner can read it.
func writePicture(image []byte, operation, path string) (name string, err error) {
	dir := os.TempDir()
	if path != "" {
		dir = filepath.Dir(path)
	}
	file, err := os.CreateTemp(dir, "igw-"+strings.ReplaceAll(operation, " ", "-")+"-*.jpg") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = file.Write(image)
	if err = errors.Join(err, file.Close()); err == nil && path != "" {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	if path == "" {
		path = file.Name()
	}
	return path, nil
}

// print shows what helps to mend the flow.
func (s *shownFailure) print(w io.Writer) error {
	fmt.Fprintln(w, "failed: "+printable(s.Message))
	var rows [][]string
	line := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{"  " + name, value})
		}
	}
	if s.Line > 0 {
		line("where", fmt.Sprintf("%s:%d", s.File, s.Line))
	}
	if s.Declared {
		line("outcome", string(s.Outcome)+", as the flow tells the application's own answer")
	}
	if s.InDoubt {
		line("in doubt", "the effect had begun: look in the application whether it happened")
	}
	line("cause", s.Cause)
	line("page", s.Address)
	line("picture", s.Picture)
	name := "near"
	for _, text := range s.Near {
		line(name, abridged(text, 100))
		name = ""
	}
	return columns(w, rows)
}

// watcher shows on a terminal which step is done, and nothing elsewhere. Done
// clears the line.
func (c *console) watcher() (watch func(flow.TraceStep), done func()) {
	terminal, ok := c.stderr.(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return nil, func() {}
	}
	const clearLine = "\r\x1b[K"
	return func(s flow.TraceStep) {
		fmt.Fprintf(terminal, "%s%s step %s: %s", clearLine, printable(s.File), s.Number, abridged(s.Name, 50))
	}, func() { fmt.Fprint(terminal, clearLine) }
}
