package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with a site's folder.
type Fault struct {
	File string
	Line int    // 1 is the first; 0 when the fault is of the whole file
	Step string // number of the step, such as "7" or "7.then.2"; empty outside of steps
	Text string
}

// String names the place and the fault: "search.json:12: step 3: …".
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if f.Step != "" {
		fmt.Fprintf(&b, ": step %s", f.Step)
	}
	b.WriteString(": " + f.Text)
	return b.String()
}

// Faults are all that is wrong with a site's folder, by file and line.
type Faults []Fault

// Error lists the faults, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

func (f Faults) sorted() Faults {
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Step, b.Step), strings.Compare(a.Text, b.Text))
	})
	return slices.Compact(f)
}
