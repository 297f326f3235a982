package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/audit"
	"integration.gateway/pkg/eventlog"
)

type eventsExport struct {
	filterFlags
	Output string `arg:"" help:"File to write. One that is there is an error, unless --resume is given."`
	Resume bool   `help:"Go on at the end of a file that an earlier export with the same flags has left."`
	Open   bool   `help:"Write sealed values in clear (needs VAULT_KEEPER_URL)."`
}

func (c *eventsExport) Run(ctx context.Context, p *printer, con *console) (err error) {
	filter := c.filter()
	source, err := newEventPrinter(ctx, p, con, c.Open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	file, last, err := c.openFile()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := c.belongs(ctx, source.log.Log, filter, last); err != nil {
		return err
	}
	filter.AfterSeq = max(filter.AfterSeq, last.Seq)

	out := bufio.NewWriter(file)
	progress, done := con.progress("exporting")
	count := int64(0)
	err = audit.Each(ctx, source.log.Log, filter, progress, func(e event.Event) error {
		e, err := source.opener.open(ctx, e)
		if err != nil {
			return err
		}
		count++
		return writeLine(out, e)
	})
	done()
	if err = errors.Join(err, out.Flush(), file.Sync()); err != nil {
		return fmt.Errorf("%s is not complete, go on with --resume: %w", c.Output, err)
	}
	_, err = fmt.Fprintf(con.stdout, "%d events written to %s\n", count, c.Output)
	return err
}

// belongs checks that the last event of a file is one that this export would
// have written. Times are left out: those given as "so long ago" move on.
func (c *eventsExport) belongs(ctx context.Context, log *eventlog.Log, filter eventlog.Filter, last event.Event) error {
	if last.Seq == 0 {
		return nil
	}
	filter.Since, filter.Until = time.Time{}, time.Time{}
	filter.AfterSeq, filter.UntilSeq = last.Seq-1, last.Seq
	found, err := log.Query(ctx, filter, 1)
	if err != nil {
		return err
	}
	if len(found) == 0 || found[0].ID != last.ID || !bytes.Equal(found[0].Hash, last.Hash) {
		return fmt.Errorf("%s ends with event %d (%s), which is not among those of this log and these flags; give another name", c.Output, last.Seq, last.ID)
	}
	return nil
}

// openFile opens the file to write and returns the last event that it holds, if
// any.
func (c *eventsExport) openFile() (*os.File, event.Event, error) {
	if !c.Resume {
		file, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			err = fmt.Errorf("%s is there already; give another name, or --resume to go on at its end", c.Output)
		}
		return file, event.Event{}, err
	}
	file, err := os.OpenFile(c.Output, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, event.Event{}, err
	}
	last, err := seekEnd(file)
	if err != nil {
		return nil, event.Event{}, errors.Join(fmt.Errorf("%s cannot be gone on with: %w", c.Output, err), file.Close())
	}
	return file, last, nil
}

// tailBytes is as much of a file's end as holds its last event for certain.
const tailBytes = 4 << 20

// seekEnd cuts off a line that was not written to its end, goes to the end and
// returns the last event.
func seekEnd(file *os.File) (last event.Event, err error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return last, err
	}
	begin := max(0, size-tailBytes)
	tail := make([]byte, size-begin)
	if _, err := file.ReadAt(tail, begin); err != nil {
		return last, err
	}
	end := bytes.LastIndexByte(tail, '\n') + 1
	if end == 0 && begin > 0 {
		return last, errors.New("it does not consist of lines")
	}
	if end > 0 {
		line := tail[bytes.LastIndexByte(tail[:end-1], '\n')+1 : end]
		if err := json.Unmarshal(line, &last); err != nil || last.Seq < 1 {
			return last, errors.New("its last line is not an event")
		}
	}
	if err := file.Truncate(begin + int64(end)); err != nil {
		return last, err
	}
	_, err = file.Seek(0, io.SeekEnd)
	return last, err
}
