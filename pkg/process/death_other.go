//go:build !linux

package process

import "syscall"

// Only Linux has such a signal: elsewhere a child outlives a parent that was killed.
func signalOnParentDeath(*syscall.SysProcAttr, syscall.Signal) {}
