package datepattern_test

import (
	"testing"
	"time"

	"integration.gateway/pkg/flow/datepattern"
)

func TestPatternWritesAndReads(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 7, 15, 4, 9, 0, time.UTC)
	for pattern, text := range map[string]string{
		"MM/DD/YYYY":              "03/07/2026",
		"M/D/YY":                  "3/7/26",
		"D MMM YYYY":              "7 Mar 2026",
		"MMMM D, YYYY h:mm A":     "March 7, 2026 3:04 PM",
		"YYYY-MM-DDTHH:mm:ss":     "2026-03-07T15:04:09",
		"[on] DD.MM.YYYY hh:mm a": "on 07.03.2026 03:04 pm",
	} {
		p, err := datepattern.Parse(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Format(at); got != text {
			t.Errorf("%s writes %q, want %q", pattern, got, text)
		}
		got, err := p.Read(text, time.UTC)
		if err != nil || p.Format(got) != text {
			t.Errorf("%s reads %q as %v, %v", pattern, text, got, err)
		}
	}
}

func TestReadRefusesWhatIsNoDate(t *testing.T) {
	t.Parallel()
	for text, pattern := range map[string]string{
		"02/31/2026":  "MM/DD/YYYY",
		"13/01/2026":  "MM/DD/YYYY",
		"03/07/26":    "MM/DD/YYYY",
		"03/07/2026x": "MM/DD/YYYY",
		"":            "MM/DD/YYYY",
		"7 Foo 2026":  "D MMM YYYY",
		"13:00 pm":    "h:mm a",
		"24:00":       "H:mm",
	} {
		p, err := datepattern.Parse(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Read(text, time.UTC); err == nil {
			t.Errorf("%s reads %q as %v", pattern, text, got)
		}
	}
}

func TestParseRefusesPatternsWithoutADate(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"", "--", "[YYYY]", "YYYY [x"} {
		if _, err := datepattern.Parse(pattern); err == nil {
			t.Errorf("%q is accepted", pattern)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("MM/DD/YYYY", "03/07/2026")
	f.Add("MMM a", "mar pm")
	f.Add("[x", "é")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := datepattern.Parse(pattern)
		if err != nil {
			return
		}
		if at, err := p.Read(text, time.UTC); err == nil {
			p.Format(at)
		}
	})
}
