package testenv

import (
	"errors"
	"slices"
	"sync"
	"testing"
)

// Shared is what the tests of one package use together because it is dear to make, such as a browser. It is made for the first test
// that wants it and ends after the package's last one; Main has to run the tests. Where it cannot be ended, the package fails. The
// zero value is ready for use.
type Shared[T any] struct {
	mu    sync.Mutex
	made  bool
	value T
}

// Get returns it. The first call has it made by open, which says how it is ended, and may fail the test.
func (s *Shared[T]) Get(t testing.TB, open func() (value T, end func() error)) T {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.made {
		value, end := open()
		s.value, s.made = value, true
		ends.add(end)
	}
	return s.value
}

// ends are what is left to do after the last test.
var ends endings

type endings struct {
	mu  sync.Mutex
	all []func() error
}

func (e *endings) add(end func() error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, end)
}

// run runs them, the latest first.
func (e *endings) run() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var errs []error
	for _, end := range slices.Backward(e.all) {
		errs = append(errs, end())
	}
	e.all = nil
	return errors.Join(errs...)
}
