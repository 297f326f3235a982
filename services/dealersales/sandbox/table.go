package sandbox

import (
	"fmt"
	"slices"
)

// maxRows bounds what each table can hold.
const maxRows = 20_000

// refusal is what the application says when it does not enter something. It
// is empty when nothing speaks against it.
type refusal string

const full refusal = "There is no room for more records."

// table holds records in the order in which they were entered. Those that can
// change or grow are guarded by Site.mu.
type table[R any] struct {
	prefix string // of the numbers
	first  int    // number of the first record
	rows   []R
	at     map[string]int
}

func newTable[R any](prefix string, first int) table[R] {
	return table[R]{prefix: prefix, first: first, at: map[string]int{}}
}

// next is the number that the next record gets.
func (t *table[R]) next() string { return fmt.Sprintf("%s-%d", t.prefix, t.first+len(t.rows)) }

// add enters a record, which bears the next number.
func (t *table[R]) add(row R) {
	t.at[t.next()] = len(t.rows)
	t.rows = append(t.rows, row)
}

func (t *table[R]) full() bool { return len(t.rows) >= maxRows }

func (t *table[R]) find(id string) (R, bool) {
	i, ok := t.at[id]
	if !ok {
		var none R
		return none, false
	}
	return t.rows[i], true
}

// where returns the records that fit.
func (t *table[R]) where(fits func(R) bool) []R {
	var found []R
	for _, row := range t.rows {
		if fits(row) {
			found = append(found, row)
		}
	}
	return found
}

func all[R any](s *Site, t *table[R]) []R {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(t.rows)
}

func find[R any](s *Site, t *table[R], id string) (R, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.find(id)
}

func where[R any](s *Site, t *table[R], fits func(R) bool) []R {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.where(fits)
}
