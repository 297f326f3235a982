package event_test

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts/event"
)

func TestEncodeWritesBinaryModeCloudEvents(t *testing.T) {
	t.Parallel()
	e := stream()[1]
	subject, header, data, err := event.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	if subject != "evt.marketplace.buy-now.completed" {
		t.Errorf("subject is %s", subject)
	}
	if string(data) != string(e.Data) {
		t.Errorf("data is %s, not verbatim", data)
	}
	want := map[string][]string{
		"ce-specversion":     {"1.0"},
		"ce-id":              {"0190a000-0000-7000-8000-000000000002"},
		"ce-source":          {"/integrations/marketplace"},
		"ce-type":            {"command.completed"},
		"ce-time":            {"2026-01-02T03:04:05.678902Z"},
		"ce-datacontenttype": {"application/json"},
		"ce-integration":     {"marketplace"},
		"ce-operation":       {"buy-now"},
		"ce-command":         {"c1"},
		"ce-caller":          {"caller-%C3%BC"},
		"ce-account":         {"a1"},
		"ce-stream":          {"command/c1"},
		"ce-version":         {"2"},
		"ce-seq":             {"42"},
		"ce-prevhash":        {"90dd44e2ff639fbbbbce19f6f9d8296ed6b2299edc23f6154c6f720baab1ba2a"},
		"ce-hash":            {"32cde7cc506f315a51e25b91dca06efa57bd870570850eaa6782e5a11162f14b"},
	}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Error(diff)
	}
}

func TestSubjectAlwaysHasFourTokens(t *testing.T) {
	t.Parallel()
	tests := []struct{ typ, operation, want string }{
		{event.TypeCommandAccepted, "buy-now", "evt.marketplace.buy-now.accepted"},
		{event.TypeEffectNotApplied, "buy-now", "evt.marketplace.buy-now.not-applied"},
		{event.TypeSiteDrifted, "search", "evt.marketplace.search.drifted"},
		{event.TypeAccountLinked, "", "evt.marketplace.account.linked"},
		{event.TypeSessionOpened, "session", "evt.marketplace.session.opened"},
	}
	for _, tt := range tests {
		e := event.Event{Type: tt.typ, Integration: "marketplace", Operation: tt.operation}
		if got := e.Subject(); got != tt.want {
			t.Errorf("%s of %q: %s, want %s", tt.typ, tt.operation, got, tt.want)
		}
	}
}

func TestDecodeReadsWhatOtherSendersMayWrite(t *testing.T) {
	t.Parallel()
	want := stream()[1]
	subject, header, data, err := event.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	delete(header, "ce-caller")
	header["CE-Caller"] = []string{`"caller-\%c3%bc"`}                             // any case, quoted, lower-case hexadecimal
	header["ce-time"] = []string{"2026-01-02T05:04:05.678902+02:00"}               // another zone
	header["ce-datacontenttype"] = []string{"application/json;%20charset=utf-8"}   // a parameter
	header["ce-traceparent"] = []string{"00-0af7651916cd43dd8448eb211c80319c-b-1"} // an unknown extension
	header["Nats-Msg-Id"] = []string{want.ID}
	got, err := event.Decode(subject, header, data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeRefusesWhatIsNotAnEvent(t *testing.T) {
	t.Parallel()
	set := func(name, value string) func(map[string][]string) {
		return func(h map[string][]string) { h[name] = []string{value} }
	}
	tests := []struct {
		name   string
		damage func(h map[string][]string)
		want   string
	}{
		{"no version of the format", func(h map[string][]string) { delete(h, "ce-specversion") }, "ce-specversion is missing"},
		{"another version of the format", set("ce-specversion", "0.3"), "ce-specversion"},
		{"structured mode", set("Content-Type", "application/cloudevents+json"), "structured"},
		{"no id", func(h map[string][]string) { delete(h, "ce-id") }, "ce-id is missing"},
		{"id twice", func(h map[string][]string) { h["ce-id"] = []string{"a", "b"} }, "ce-id must be given once"},
		{"id in two spellings", set("Ce-Id", "a"), "ce-id must be given once"},
		{"not JSON", set("ce-datacontenttype", "text/plain"), "ce-datacontenttype"},
		{"another source", set("ce-source", "/integrations/agency"), "ce-source"},
		{"bad time", set("ce-time", "yesterday"), "ce-time"},
		{"bad version", set("ce-version", "two"), "ce-version"},
		{"version in another spelling", set("ce-version", "+2"), "ce-version"},
		{"version 0", set("ce-version", "0"), "version 0"},
		{"bad seq", set("ce-seq", "0"), "seq 0"},
		{"bad hash", set("ce-hash", "xyz"), "ce-hash"},
		{"short hash", set("ce-hash", "00"), "hash of 1 bytes"},
		{"no predecessor's hash", func(h map[string][]string) { delete(h, "ce-prevhash") }, "predecessor's hash of 0 bytes"},
		{"overlong UTF-8", set("ce-caller", "%C0%A0"), "not UTF-8"},
		{"half an escape", set("ce-caller", "%2"), "percent-encoding"},
		{"a control character", set("ce-caller", "a%00b"), "forbids"},
		{"an open quote", set("ce-caller", `"a`), "no end"},
		{"text after the quote", set("ce-caller", `"a"b`), "closing quote"},
		{"another operation than the subject's", set("ce-operation", "search"), "its own is"},
		{"a wildcard as operation", set("ce-operation", "*"), "hyphens"},
		{"a time finer than the log's", set("ce-time", "2026-01-02T03:04:05.6789021Z"), "whole microseconds"},
		{"a replay among the events", set("ce-replay", "r1"), "no place under evt.>"},
		{"a replay without a proper id", set("ce-replay", "r%00"), "forbids"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			subject, header, data, err := event.Encode(stream()[1])
			if err != nil {
				t.Fatal(err)
			}
			tt.damage(header)
			_, err = event.Decode(subject, header, data)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that says %q", err, tt.want)
			}
		})
	}
}

func TestAReplayedEventTellsItsReplayAndComesOnAnySubject(t *testing.T) {
	t.Parallel()
	want := stream()[1]
	want.Replay = "r-ü"
	_, header, data, err := event.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := header["ce-replay"]; len(got) != 1 || got[0] != "r-%C3%BC" {
		t.Errorf("ce-replay is %q", got)
	}
	got, err := event.Decode("rebuild.orders", header, data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	want.Replay = ""
	if diff := cmp.Diff(event.Hash(want), event.Hash(got)); diff != "" {
		t.Errorf("the replay changes the hash: %s", diff)
	}
}

func TestEncodeRefusesWhatIsNotInTheLog(t *testing.T) {
	t.Parallel()
	tests := map[string]func(e *event.Event){
		"not sequenced":   func(e *event.Event) { e.Seq = 0 },
		"not hashed":      func(e *event.Event) { e.Hash = nil },
		"without a time":  func(e *event.Event) { e.Time = time.Time{} },
		"without data":    func(e *event.Event) { e.Data = nil },
		"without a type":  func(e *event.Event) { e.Type = "" },
		"two words short": func(e *event.Event) { e.Type = "command" },
		"too large":       func(e *event.Event) { e.Data = []byte(`"` + strings.Repeat("x", event.MaxDataBytes) + `"`) },
		"at no such time": func(e *event.Event) { e.Time = e.Time.Add(time.Nanosecond) },
		"long attribute":  func(e *event.Event) { e.Caller = strings.Repeat("x", 257) },
	}
	for name, damage := range tests {
		e := stream()[1]
		damage(&e)
		if _, _, _, err := event.Encode(e); err == nil {
			t.Errorf("an event that is %s was encoded", name)
		}
	}
}

// FuzzRoundTrip: every event that Encode accepts comes back from Decode as it
// was, and its headers hold nothing but printable ASCII.
func FuzzRoundTrip(f *testing.F) {
	f.Add("id-1", "command.accepted", "marketplace", "buy-now", "command/c1", "Euro € 😀", "", `{"a":1}`, int64(1), int64(7), int64(1767323045678901))
	f.Add(`a"b%c\ d`, "account.linked", "agency", "", "account/~", "", "r 1", `[]`, int64(2), int64(math.MaxInt64), int64(0))
	f.Fuzz(func(t *testing.T, id, typ, integration, operation, stream, attribute, replay, data string, version, seq, micros int64) {
		e := event.Event{
			ID: id, Type: typ, Integration: integration, Operation: operation, Stream: stream,
			Command: attribute, Caller: attribute, Account: attribute, Replay: replay, Data: []byte(data),
			Version: version, Seq: seq, Time: time.UnixMicro(micros).UTC(),
		}
		if version > 1 {
			e.PrevHash = event.Hash(e)
		}
		e.Hash = event.Hash(e)
		subject, header, body, err := event.Encode(e)
		if err != nil {
			return
		}
		for name, values := range header {
			for _, r := range name + values[0] {
				if r <= ' ' || r > '~' {
					t.Errorf("header %s: %q", name, values[0])
				}
			}
		}
		if replay != "" {
			subject = "replay"
		}
		got, err := event.Decode(subject, maps.Clone(header), body)
		if err != nil {
			t.Fatalf("%v in %v", err, header)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Error(diff)
		}
	})
}

// FuzzDecode: whatever arrives, Decode answers with an error or an event that
// Encode writes and Decode reads as the same event again. It never panics.
func FuzzDecode(f *testing.F) {
	for _, e := range stream() {
		subject, header, data, err := event.Encode(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(subject, headerText(header), data)
		header["ce-replay"] = []string{"r1"}
		f.Add("replay", headerText(header), data)
		header["ce-prevhash"], header["ce-time"] = []string{""}, []string{"2026-01-02T05:04:05+02:00"}
		header["CE-Account"], header["ce-datacontenttype"] = []string{`"quoted \" account"`}, []string{"application/json;charset=utf-8"}
		f.Add("replay", headerText(header), data)
	}
	f.Add("evt.>", "ce-id: %41\nce-caller: %C0%A0\nce-id: \n:", []byte("null"))
	f.Fuzz(func(t *testing.T, subject, header string, data []byte) {
		got, err := event.Decode(subject, headerFrom(header), data)
		if err != nil {
			return
		}
		_, again, body, err := event.Encode(got)
		if err != nil {
			t.Fatalf("decoded, but cannot be encoded: %v", err)
		}
		twice, err := event.Decode(subject, again, body)
		if err != nil {
			t.Fatalf("encoded, but cannot be decoded: %v", err)
		}
		if diff := cmp.Diff(got, twice); diff != "" {
			t.Error(diff)
		}
	})
}

// headerText writes a header as lines, which the fuzzer can change at will.
func headerText(header map[string][]string) string {
	var b strings.Builder
	for name, values := range header {
		for _, value := range values {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return b.String()
}

func headerFrom(text string) map[string][]string {
	header := map[string][]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		header[name] = append(header[name], value)
	}
	return header
}

func BenchmarkEncode(b *testing.B) {
	e := stream()[1]
	b.ReportAllocs()
	for b.Loop() {
		if _, _, _, err := event.Encode(e); err != nil {
			b.Fatal(err)
		}
	}
}
