package eventlog

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/schema"
)

// An event that cannot be published would stop the relay for ever, for nobody can
// take it out again. So a process that may append, and does not use this package,
// must not get one in.
func TestTheDatabaseRefusesWhatCouldNeverBePublished(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	service := as(t, log, schema.Service)
	for name, damage := range map[string]func(e *event.Event){
		"data that is not JSON":                func(e *event.Event) { e.Data = []byte(`{"a":`) },
		"no data":                              func(e *event.Event) { e.Data = []byte{} },
		"two values as data":                   func(e *event.Event) { e.Data = []byte(`{} {}`) },
		"too much data":                        func(e *event.Event) { e.Data = []byte(`"` + strings.Repeat("x", event.MaxDataBytes) + `"`) },
		"an integration that ends in a hyphen": func(e *event.Event) { e.Integration = "market-" },
		"an operation that begins with one":    func(e *event.Event) { e.Operation = "-buy" },
		"two hyphens in a type":                func(e *event.Event) { e.Type = "command.a--b" },
		"three words as a type":                func(e *event.Event) { e.Type = "command.a.b" },
		"a long type":                          func(e *event.Event) { e.Type = "command." + strings.Repeat("a", 250) },
		"no id":                                func(e *event.Event) { e.ID = "" },
		"no stream":                            func(e *event.Event) { e.Stream = "" },
		"a long stream":                        func(e *event.Event) { e.Stream = strings.Repeat("s", 257) },
		"a long id":                            func(e *event.Event) { e.ID = strings.Repeat("ü", 129) },
		"a control character in the command":   func(e *event.Event) { e.Command = "a\x1bb" },
		"one of the second set":                func(e *event.Event) { e.Account = "a\u009bb" },
		"a line in the caller":                 func(e *event.Event) { e.Caller = "a\nb" },
		"a noncharacter":                       func(e *event.Event) { e.Caller = "a\ufdd0" },
		"one of the first plane":               func(e *event.Event) { e.Caller = "a\uffff" },
		"one of the last plane":                func(e *event.Event) { e.Caller = "a\U0010fffe" },
	} {
		e := accepted(t, "")
		e.ID, e.Stream, e.Version = event.NewID(), "command/"+name, 1
		damage(&e)
		err := write(limited(t), service.pool, true, &entry{events: []event.Event{e}})
		var pgErr *pgconn.PgError
		if !errors.As(err, &pgErr) || pgErr.Code != "EV003" {
			t.Errorf("%s: got %v, want the refusal EV003", name, err)
		}
	}
	e := accepted(t, "")
	e.Command, e.Caller, e.Account = strings.Repeat("ü", 128), `"%\ 日本 𝄞`, "" // as odd as they may be
	e.Data = []byte(`{"a":"\u0000\ud800","b":[1e400, true]}`)
	mustAppend(t, service, strings.Repeat("s", 256), 0, e)
	sequenceAll(t, log)
	stored, err := log.Range(limited(t), 0, 1)
	if err != nil || len(stored) != 1 {
		t.Fatalf("got %d events, %v", len(stored), err)
	}
	if _, _, _, err := event.Encode(stored[0]); err != nil {
		t.Error(err)
	}
}
