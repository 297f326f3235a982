package placeholder

import (
	"errors"
	"time"

	"integration.gateway/pkg/flow/datepattern"
)

// Formats are a site's ways to write dates and numbers. The zero value writes
// ISO dates in UTC and a decimal point.
type Formats struct {
	Dates    string         // pattern of a date; empty: YYYY-MM-DD
	Location *time.Location // where the site's clock stands; nil: UTC
	Decimal  string         // decimal mark; empty: "."
}

func (f Formats) location() *time.Location {
	if f.Location == nil {
		return time.UTC
	}
	return f.Location
}

func checkDate(args []string) error {
	if len(args) == 0 {
		return nil
	}
	_, err := datepattern.Parse(args[0])
	return err
}

// dateLayouts are the forms in which a contract carries dates and times.
var dateLayouts = []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04", time.TimeOnly, "15:04"}

func date(v any, args []string, formats Formats) (any, error) {
	source := "YYYY-MM-DD"
	if formats.Dates != "" {
		source = formats.Dates
	}
	if len(args) > 0 {
		source = args[0]
	}
	pattern, err := datepattern.Parse(source)
	if err != nil {
		return nil, err
	}
	if t, ok := v.(time.Time); ok {
		return pattern.Format(t.In(formats.location())), nil
	}
	s, err := text(v)
	if err != nil {
		return nil, err
	}
	for i, layout := range dateLayouts {
		t, err := time.ParseInLocation(layout, s, formats.location())
		if err != nil {
			continue
		}
		if i == 0 { // only an instant moves with the zone
			t = t.In(formats.location())
		}
		return pattern.Format(t), nil
	}
	return nil, errors.New("the value is not an ISO date or time")
}
