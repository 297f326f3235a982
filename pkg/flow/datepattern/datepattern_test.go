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

// FuzzRoundTrip reads back what a pattern writes.
func FuzzRoundTrip(f *testing.F) {
	for _, pattern := range []string{
		"MM/DD/YYYY", "D. MMMM YYYY", "DDMMMYYYY", "YYYYMMDDHHmmss", "MMM D, YYYY, h:mm a", "[the] D[th of] MMMM YYYY [at] hh:mm:ss A", "YYYY-MM-DDTHH:mm:ss",
	} {
		f.Add(pattern, int64(1772895849))
	}
	f.Add("D MMMM YYYY", int64(-62135596800))
	f.Fuzz(func(t *testing.T, pattern string, unix int64) {
		p, err := datepattern.Parse(pattern)
		at := time.Unix(unix, 0).UTC()
		if err != nil || at.Year() < 0 || at.Year() > 9999 {
			return
		}
		written := p.Format(at)
		read, err := p.Read(written, time.UTC)
		if err != nil {
			return // such as a name beside a literal letter: what it reads is what counts
		}
		if again := p.Format(read); again != written {
			t.Errorf("%q writes %q, reads %v and writes %q", pattern, written, read, again)
		}
	})
}

func TestEveryTokenIsReadBack(t *testing.T) {
	t.Parallel()
	for month := time.January; month <= time.December; month++ {
		for hour := range 24 {
			at := time.Date(2026, month, 3+hour, hour, 7, 9, 0, time.UTC)
			for _, pattern := range []string{"YYYY MM DD HH mm ss", "YY M D H m ss", "MMMM DD YYYY hh:mm:ss A", "D-MMM-YY h:m:ss a"} {
				p, err := datepattern.Parse(pattern)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := p.Read(p.Format(at), time.UTC); err != nil || !got.Equal(at) {
					t.Errorf("%s writes %q and reads %v, %v", pattern, p.Format(at), got, err)
				}
			}
		}
	}
}

func TestParseRefusesLettersThatAreNoToken(t *testing.T) {
	t.Parallel()
	for pattern, fits := range map[string]bool{
		"dd/MM/YYYY": false, "yyyy-MM-DD": false, "DDD": false, "MMMMM YYYY": false, "D de MMMM": false, "D [de] MMMM": true,
		"YYYY-MM-DDTHH:mm": true, "H:mm s": false, "D MMM YYYY at h:mm": false, "YYYY年M月D日": true,
	} {
		if _, err := datepattern.Parse(pattern); (err == nil) != fits {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

func TestReadRefusesAnHourThatTheClocksLeapOver(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	p, err := datepattern.Parse("YYYY-MM-DD H:mm")
	if err != nil {
		t.Fatal(err)
	}
	if at, err := p.Read("2026-03-29 2:30", berlin); err == nil {
		t.Errorf("it is read as %v", at)
	}
	if at, err := p.Read("2026-03-29 3:30", berlin); err != nil || at.Hour() != 3 {
		t.Errorf("%v, %v", at, err)
	}
}
