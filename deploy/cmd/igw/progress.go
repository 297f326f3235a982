package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"integration.gateway/pkg/audit"
)

// progress shows on a terminal how far long work has come; elsewhere it shows
// nothing. The caller must call the second result when the work has ended.
func (c *console) progress(what string) (audit.Progress, func()) {
	terminal, ok := c.stderr.(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return nil, func() {}
	}
	bar := progressbar.NewOptions64(-1,
		progressbar.OptionSetDescription(what), progressbar.OptionSetWriter(terminal), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(), progressbar.OptionSetItsString("events"), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())
	return func(done, total int64) {
		bar.ChangeMax64(total)
		_ = bar.Set64(done) // a bar that cannot be drawn is no reason to stop
	}, func() { _ = bar.Finish() }
}
