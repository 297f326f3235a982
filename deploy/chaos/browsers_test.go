package chaos_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// below returns the ids of all processes that descend from one.
func below(pid int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		content, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		// 1234 (name, which may hold anything) S 1200 …
		fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
		child, errChild := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent, errParent := strconv.Atoi(fields[1])
		if errChild == nil && errParent == nil {
			children[parent] = append(children[parent], child)
		}
	}
	var all []int
	for next := children[pid]; len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, children[next[0]]...)
	}
	return all
}

// signalBrowser sends a signal to the Chromium processes of a service: to the
// browser itself, or to those that show its pages.
func signalBrowser(service int, renderers bool, signal syscall.Signal) (reached []int) {
	for _, pid := range below(service) {
		command, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err != nil || !bytes.Contains(command, []byte("chrom")) {
			continue
		}
		if !renderers || bytes.Contains(command, []byte("--type=renderer")) {
			_ = syscall.Kill(pid, signal)
			reached = append(reached, pid)
		}
	}
	return reached
}

// hang has all pages of a service's browser stand still for a while.
func hang(service int, during time.Duration) {
	stopped := signalBrowser(service, true, syscall.SIGSTOP)
	time.AfterFunc(during, func() {
		for _, pid := range stopped {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	})
}
