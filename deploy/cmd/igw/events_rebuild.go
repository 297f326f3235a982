package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"integration.gateway/pkg/readmodel"
)

// errDiffers says that the live read models are not what the log says.
var errDiffers = errors.New("the live read models differ from what the event log says")

// rebuild replays the log into a file and compares it with the live rows.
func (c *eventsReplay) rebuild(ctx context.Context, p *printer, con *console, log *logDatabase) (err error) {
	path := c.State
	if path == "" {
		dir, err := os.MkdirTemp("", "igw-replay-*")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }() // a temporary file left behind is no failure of the replay
		path = filepath.Join(dir, "rebuilt")
	}
	progress, done := con.progress("replaying")
	rebuilt, err := readmodel.Rebuild(ctx, log.Log, path, progress)
	done()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rebuilt.Close()) }()
	comparison, err := rebuilt.Compare(ctx, log.pool)
	if err != nil {
		return err
	}
	if err := printComparison(p, comparison); err != nil {
		return err
	}
	if comparison.Differing > 0 {
		return errDiffers
	}
	return nil
}

func printComparison(p *printer, c readmodel.Comparison) error {
	if p.json {
		return p.encode(c)
	}
	fmt.Fprintf(p.w, "replayed up to seq %d\n", c.Seq)
	err := list(p, c.Models, []string{"MODEL", "LIVE", "REBUILT"}, func(m readmodel.Count) []string {
		return []string{m.Model, fmt.Sprint(m.Live), fmt.Sprint(m.Rebuilt)}
	})
	if err != nil || c.Differing == 0 {
		return err
	}
	fmt.Fprintf(p.w, "%d rows differ, among them:\n", c.Differing)
	for _, d := range c.Differences {
		fmt.Fprintln(p.w, printable(d.String()))
	}
	return nil
}
