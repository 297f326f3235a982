package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// printer shows results, as a table for people or as JSON for programs.
type printer struct {
	w    io.Writer
	json bool
}

// record shows one result, whose fields are names and values in turn. Empty
// values are left out of the table.
func (p *printer) record(result any, fields ...string) error {
	if p.json {
		return p.encode(result)
	}
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i+1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", fields[i], printable(fields[i+1]))
		}
	}
	return w.Flush()
}

// list shows a list: as a table with one row an entry, or as one JSON array.
func list[T any](p *printer, entries []T, header []string, row func(T) []string) error {
	if p.json {
		return p.encode(entries)
	}
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, e := range entries {
		cells := row(e)
		for i := range cells {
			cells[i] = printable(cells[i])
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

func (p *printer) encode(v any) error {
	enc := json.NewEncoder(p.w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printable replaces what could steer a terminal, or end a table's cell.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// when shows a moment in the operator's own time zone; nil is empty.
func when(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Local().Format(time.DateTime + " MST")
}
