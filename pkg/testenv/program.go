package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"integration.gateway/pkg/process"
)

const (
	startLimit = 6 * time.Minute // beyond that of cmd/testenv, which says what went wrong
	stopLimit  = 40 * time.Second
)

// program is a running cmd/testenv. It ends, and its servers with it, when its input is closed, by stop or by this process's
// death.
type program struct {
	process *process.Process
	input   *os.File
	output  *os.File // what it prints
}

// launch builds and starts cmd/testenv.
func launch(ctx context.Context, arguments ...string) (*program, error) {
	path, dir, err := built(ctx)
	if err != nil {
		return nil, err
	}
	theirInput, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	output, theirOutput, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirInput.Close(), input.Close())
	}
	cmd := exec.Command(path, arguments...) //nolint:noctx // lives until stop
	cmd.Dir = dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirInput, theirOutput, os.Stderr
	running, err := process.Start(cmd, syscall.SIGTERM)
	err = errors.Join(err, theirInput.Close(), theirOutput.Close())
	if err != nil {
		return nil, errors.Join(err, input.Close(), output.Close())
	}
	return &program{process: running, input: input, output: output}, nil
}

var build struct {
	once      sync.Once
	path, dir string
	err       error
}

// built returns the program's path and the folder of its module, once a process.
func built(ctx context.Context) (path, dir string, err error) {
	build.once.Do(func() { build.path, build.dir, build.err = buildProgram(ctx) })
	return build.path, build.dir, build.err
}

// buildProgram builds in the program's own module: the module under test need not know what the program depends on.
func buildProgram(ctx context.Context) (path, dir string, err error) {
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "integration.gateway/pkg").Output()
	if err != nil {
		return "", "", fmt.Errorf("find integration.gateway/pkg with go list: %w", err)
	}
	dir = strings.TrimSpace(string(module))
	path = filepath.Join(dir, "..", "bin", "testenv")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "./testenv/cmd/testenv")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("build cmd/testenv: %w: %s", err, strings.TrimSpace(string(output)))
	}
	return path, dir, nil
}

func (p *program) stop() error {
	err := p.input.Close()
	select {
	case <-p.process.Done():
		return errors.Join(err, p.process.Err())
	case <-time.After(stopLimit):
		return errors.Join(err, errors.New("cmd/testenv does not end"), p.process.Signal(syscall.SIGKILL))
	}
}
