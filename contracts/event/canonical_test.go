package event_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts/event"
)

func TestACanonicalTextGivesItsEventBack(t *testing.T) {
	t.Parallel()
	for _, want := range stream() {
		want.Seq = 0
		got, err := event.ParseCanonical(event.AppendCanonical(nil, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestATextThatIsNotCanonicalIsRefused(t *testing.T) {
	t.Parallel()
	text := string(event.AppendCanonical(nil, stream()[1]))
	tests := []struct{ name, text, want string }{
		{"empty", "", "does not begin"},
		{"another domain", strings.Replace(text, "/v1 ", "/v2 ", 1), "does not begin"},
		{"leading zero", strings.Replace(text, "/v1 2 ", "/v1 02 ", 1), "number"},
		{"plus sign", strings.Replace(text, "/v1 2 ", "/v1 +2 ", 1), "number"},
		{"upper-case hash", strings.Replace(text, "90dd44e2", "90DD44E2", 1), "hexadecimal"},
		{"version without a predecessor", strings.Replace(text, "/v1 2 ", "/v1 1 ", 1), "predecessor's hash"},
		{"cut off", text[:len(text)-1], "data does not end"},
		{"longer", text + " ", "data does not end"},
		{"length too great", strings.Replace(text, " 2 c1 ", " 9999 c1 ", 1), "field"},
		{"negative length", strings.Replace(text, " 2 c1 ", " -2 c1 ", 1), "number"},
		{"a number that no integer holds", strings.Replace(text, "/v1 2 ", "/v1 9223372036854775808 ", 1), "number"},
		{"a number of twenty digits", strings.Replace(text, "/v1 2 ", "/v1 18446744073709551618 ", 1), "number"},
		{"no space after a number", strings.Replace(text, "/v1 2 ", "/v1 2x", 1), "number"},
		{"a time before 1970", strings.Replace(text, "/v1 2 17", "/v1 2 -17", 1), "number"},
		{"a huge time", strings.Replace(text, "/v1 2 1767323045678902", "/v1 2 9223372036854775807", 1), "time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := event.ParseCanonical([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that says %q", err, tt.want)
			}
		})
	}
}

func FuzzParseCanonical(f *testing.F) {
	for _, e := range stream() {
		f.Add(event.AppendCanonical(nil, e))
	}
	f.Add(event.AppendCanonical(nil, event.Event{Time: time.UnixMicro(-1)}))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := event.ParseCanonical(text)
		if err != nil {
			return
		}
		if again := event.AppendCanonical(nil, e); !bytes.Equal(again, text) {
			t.Errorf("the text %q comes back as %q", text, again)
		}
		if !bytes.Equal(event.Hash(e), e.Hash) {
			t.Error("the hash of the text is not that of the event")
		}
	})
}

func BenchmarkHash(b *testing.B) {
	e := stream()[1]
	for b.Loop() {
		event.Hash(e)
	}
}

func BenchmarkParseCanonical(b *testing.B) {
	text := event.AppendCanonical(nil, stream()[1])
	for b.Loop() {
		if _, err := event.ParseCanonical(text); err != nil {
			b.Fatal(err)
		}
	}
}
