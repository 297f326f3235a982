package devtools

import (
	"errors"
	"sync"
)

// maxNoted bounds what is noted about a client, of each kind.
const maxNoted = 10_000

var errTooMany = errors.New("devtools: the client has too much open")

// set is some things, up to maxNoted, for several goroutines.
type set[T comparable] struct {
	mu sync.Mutex
	of map[T]struct{}
}

func (s *set[T]) add(one T) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[T]struct{}{}
	}
	if len(s.of) >= maxNoted {
		return errTooMany
	}
	s.of[one] = struct{}{}
	return nil
}

func (s *set[T]) has(one T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, is := s.of[one]
	return is
}

// remove tells whether it was there.
func (s *set[T]) remove(one T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, was := s.of[one]
	delete(s.of, one)
	return was
}

func (s *set[T]) removeFunc(which func(T) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range s.of {
		if which(one) {
			delete(s.of, one)
		}
	}
}
