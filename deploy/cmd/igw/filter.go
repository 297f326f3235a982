package main

import (
	"errors"
	"fmt"
	"time"

	"integration.gateway/pkg/eventlog"
)

// filterFlags select events of the log. All that are given must fit.
type filterFlags struct {
	Integration string `help:"Only events of this integration, such as marketplace."`
	Operation   string `help:"Only events of this operation, such as buy-now."`
	Account     string `help:"Only events of this account."`
	Caller      string `help:"Only events of this caller."`
	Command     string `help:"Only events of this command."`
	Type        string `help:"Only events of this type, such as effect.confirmed."`
	Since       moment `help:"Only events from this moment on: 2026-01-31, 2026-01-31T10:00:00Z, or 36h for so long ago." placeholder:"TIME"`
	Until       moment `help:"Only events before this moment." placeholder:"TIME"`
	After       int64  `help:"Only events after this seq." placeholder:"SEQ"`
	UpTo        int64  `help:"Only events up to this seq." placeholder:"SEQ"`
}

// Validate refuses what no event can fulfil. The parser calls it.
func (f filterFlags) Validate() error {
	since, until := time.Time(f.Since), time.Time(f.Until)
	switch {
	case f.After < 0 || f.UpTo < 0:
		return errors.New("--after and --up-to are the seq of an event, 1 or more")
	case f.UpTo != 0 && f.UpTo <= f.After:
		return fmt.Errorf("no event can be after %d and up to %d", f.After, f.UpTo)
	case !since.IsZero() && !until.IsZero() && !since.Before(until):
		return errors.New("--since is not before --until")
	}
	return nil
}

func (f filterFlags) filter() eventlog.Filter {
	return eventlog.Filter{
		Integration: f.Integration, Operation: f.Operation, Account: f.Account, Caller: f.Caller,
		Command: f.Command, Type: f.Type, Since: time.Time(f.Since), Until: time.Time(f.Until),
		AfterSeq: f.After, UntilSeq: f.UpTo,
	}
}

// moment is a point in time on the command line.
type moment time.Time

// UnmarshalText reads a date, a time of RFC 3339, or how long ago it is.
func (m *moment) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, string(text)); err == nil {
			*m = moment(t)
			return nil
		}
	}
	ago, err := time.ParseDuration(string(text))
	if err != nil || ago < 0 {
		return fmt.Errorf("%q is neither a date (2026-01-31), nor a time (2026-01-31T10:00:00Z), nor a duration (36h)", text)
	}
	*m = moment(time.Now().Add(-ago))
	return nil
}
