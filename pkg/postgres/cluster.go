package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cluster is the server's folder on disk: data, the database cluster itself; password, the superuser's; log, of the last run.
type cluster struct {
	dir      string
	programs string
	owner    owner
}

func (c cluster) data() string         { return filepath.Join(c.dir, "data") }
func (c cluster) passwordFile() string { return filepath.Join(c.dir, "password") }
func (c cluster) log() string          { return filepath.Join(c.dir, "log") }

func openCluster(ctx context.Context, dir, programs string) (cluster, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return cluster{}, err
	}
	c := cluster{dir: dir, programs: programs}
	if c.owner, err = chooseOwner(c.data()); err != nil {
		return cluster{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return cluster{}, err
	}
	if _, err := os.Stat(c.data()); errors.Is(err, fs.ErrNotExist) {
		return c, c.create(ctx)
	} else if err != nil {
		return cluster{}, err
	}
	return c, c.awaitPredecessor(ctx)
}

// create makes a new cluster beside its place and moves it there when it is whole: an interrupted attempt leaves no half a cluster.
func (c cluster) create(ctx context.Context) error {
	unfinished := c.data() + ".new"
	if err := os.RemoveAll(unfinished); err != nil {
		return err
	}
	if err := os.Mkdir(unfinished, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(c.passwordFile(), []byte(rand.Text()), 0o600); err != nil {
		return err
	}
	for _, path := range []string{unfinished, c.passwordFile()} {
		if err := c.owner.take(path); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(c.programs, "initdb"))
	told, release, err := c.owner.program(cmd, unfinished, c.passwordFile())
	if err != nil {
		return err
	}
	defer release()
	cmd.Args = append(cmd.Args, "--pgdata="+told[0], "--pwfile="+told[1],
		"--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb in %s: %w: %s", c.dir, err, lastComplaint(output))
	}
	return os.Rename(unfinished, c.data())
}

func (c cluster) password() (string, error) {
	password, err := os.ReadFile(c.passwordFile())
	return strings.TrimSpace(string(password)), err
}

// awaitPredecessor waits for the end of a server that another process left on this cluster: one whose parent was killed
// shuts down by itself, which may take a moment.
func (c cluster) awaitPredecessor(ctx context.Context) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		pid := c.predecessor()
		if pid == 0 {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("another PostgreSQL server (process %d) runs on %s: %w", pid, c.dir, ctx.Err())
		}
	}
}

// predecessor returns the process id of a live server on this cluster, 0 for none. The first line of postmaster.pid names it.
func (c cluster) predecessor() int {
	content, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return 0
	}
	// A process id is reused after a restart of the machine: where the system tells, believe only a server's name.
	if command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && !bytes.Contains(command, []byte("postgres")) {
		return 0
	}
	return pid
}

// lastComplaint picks the line of a server's log that says why it ended.
func lastComplaint(log []byte) string {
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		for _, level := range []string{"FATAL:", "PANIC:", "error:"} {
			if at := strings.Index(lines[i], level); at >= 0 {
				return strings.TrimSpace(lines[i][at+len(level):])
			}
		}
	}
	return lines[len(lines)-1]
}
