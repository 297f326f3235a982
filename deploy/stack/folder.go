package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// openFolder makes the run folder and takes it for this stack alone.
func (s *Stack) openFolder(context.Context) error {
	if err := os.MkdirAll(s.cfg.RunDir, 0o700); err != nil {
		return fmt.Errorf("RUN_DIR: %w", err)
	}
	file, err := os.OpenFile(s.cfg.path("lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("RUN_DIR: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("another stack runs in %s; stop it, or set RUN_DIR and GATEWAY_ADDR for this one", s.cfg.RunDir), file.Close())
	}
	s.add("run folder", file.Close) // which gives the lock back
	// What an earlier stack wrote there is not true any more.
	if err := os.Remove(s.cfg.path("env")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("RUN_DIR: %w", err)
	}
	return nil
}

// Publish writes the stack's addresses and tokens to the file env in the run
// folder, in one piece. Stop takes the file away again.
func (s *Stack) Publish() error {
	path := s.cfg.path("env")
	if err := writeWhole(path, s.Env.String()); err != nil {
		return err
	}
	s.add("env file", func() error { return os.Remove(path) })
	return nil
}
