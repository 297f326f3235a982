package readmodel

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"integration.gateway/contracts/event"
)

// noEvents is a log that has none.
type noEvents struct{}

func (noEvents) Range(context.Context, int64, int) ([]event.Event, error) { return nil, nil }
func (noEvents) Head(context.Context) (int64, error)                      { return 0, nil }

// bbolt maps a file into memory and believes it: without care, what is cut off
// ends the whole process.
func TestADamagedFileIsAnErrorAndNotTheEnd(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole")
	rebuilt, err := Rebuild(t.Context(), noEvents{}, whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := rebuilt.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	metas := 2 * os.Getpagesize()
	for name, damaged := range map[string][]byte{
		"cut off":     content[:metas+1],
		"overwritten": append(bytes.Clone(content[:metas]), bytes.Repeat([]byte{0xff}, len(content)-metas)...),
	} {
		file := filepath.Join(t.TempDir(), "damaged")
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Rebuild(t.Context(), noEvents{}, file, nil); err == nil || !strings.Contains(err.Error(), "delete it") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
