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

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/audit"
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
	filter.AfterSeq = max(filter.AfterSeq, last)

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

// openFile opens the file to write and returns the seq of the last event that
// it holds.
func (c *eventsExport) openFile() (*os.File, int64, error) {
	if !c.Resume {
		file, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			err = fmt.Errorf("%s is there already; give another name, or --resume to go on at its end", c.Output)
		}
		return file, 0, err
	}
	file, err := os.OpenFile(c.Output, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, err
	}
	last, err := seekEnd(file)
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("%s cannot be gone on with: %w", c.Output, err), file.Close())
	}
	return file, last, nil
}

// tailBytes is as much of a file's end as holds its last event for certain.
const tailBytes = 4 << 20

// seekEnd cuts off a line that was not written to its end, goes to the end and
// returns the seq of the last event.
func seekEnd(file *os.File) (int64, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	begin := max(0, size-tailBytes)
	tail := make([]byte, size-begin)
	if _, err := file.ReadAt(tail, begin); err != nil {
		return 0, err
	}
	end := bytes.LastIndexByte(tail, '\n') + 1
	if end == 0 && begin > 0 {
		return 0, errors.New("it does not consist of lines")
	}
	last := event.Event{}
	if end > 0 {
		line := tail[bytes.LastIndexByte(tail[:end-1], '\n')+1 : end]
		if err := json.Unmarshal(line, &last); err != nil || last.Seq < 1 {
			return 0, errors.New("its last line is not an event")
		}
	}
	if err := file.Truncate(begin + int64(end)); err != nil {
		return 0, err
	}
	_, err = file.Seek(0, io.SeekEnd)
	return last.Seq, err
}
