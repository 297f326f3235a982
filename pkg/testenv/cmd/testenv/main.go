// Command testenv starts the Postgres and NATS servers that tests share, in Docker containers or as local processes.
//
//	testenv go test ./...   runs the command with TEST_DATABASE_URL and TEST_NATS_URL set, and exits with its code
//	testenv                 prints the two variables and keeps the servers up until its standard input ends
//	testenv -disk …         has containers keep the data on a disk, for benchmarks, and for trials of hours; in memory otherwise
//	testenv -own nats       keeps up a server that one test has for itself, or -own postgres, or -own postgres-clock, whose
//	                        clock can be set, and kills, starts, … it as the lines of its standard input say
//
// REQUIRE_DOCKER=1 refuses the local processes. Whatever ends it but kill -9, nothing is left behind; after kill -9, local
// processes end at once and containers after a while.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"integration.gateway/pkg/process"
	"integration.gateway/pkg/testenv/internal/infra"
)

const (
	startLimit = 5 * time.Minute // the first start of a machine builds the images
	stopLimit  = 30 * time.Second
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
	}
	os.Exit(code)
}

func run(arguments []string) (code int, err error) {
	flags := flag.NewFlagSet("testenv", flag.ContinueOnError)
	ofOne := flags.String("own", "", "keep up a server of this `kind` for one test: nats, postgres or postgres-clock")
	onDisk := flags.Bool("disk", false, "keep the data of containers on a disk")
	if err := flags.Parse(arguments); err != nil {
		return 2, nil // it has said what is wrong
	}
	command := flags.Args()
	signals, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer restore()
	if *ofOne != "" {
		if err := own(signals, *ofOne); err != nil {
			return 1, err
		}
		return 0, nil
	}

	starting, cancel := context.WithTimeout(signals, startLimit)
	defer cancel()
	servers, err := infra.Start(starting, infra.Options{
		RequireDocker: requireDocker(),
		OnDisk:        *onDisk,
		Announce:      func(line string) { fmt.Println("testenv:", line) },
	})
	if err != nil {
		return 1, err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.Background(), stopLimit)
		defer cancel()
		if stopErr := servers.Stop(stopping); stopErr != nil {
			code, err = max(code, 1), errors.Join(err, stopErr)
		}
	}()

	if len(command) == 0 {
		return 0, serve(signals, servers)
	}
	return execute(signals, servers, command)
}

func requireDocker() bool { return os.Getenv("REQUIRE_DOCKER") == "1" }

func variables(servers *infra.Infra) []string {
	return []string{"TEST_DATABASE_URL=" + servers.DatabaseURL, "TEST_NATS_URL=" + servers.NATSURL}
}

// serve keeps the servers up until standard input ends, as it does when the process at its other end dies.
func serve(signals context.Context, servers *infra.Infra) error {
	for _, variable := range variables(servers) {
		fmt.Println(variable)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-signals.Done():
		return nil
	}
}

// execute runs the command and returns its exit code. On a signal the command's whole process group is told to end, then killed.
func execute(signals context.Context, servers *infra.Infra, command []string) (int, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // ended in order below
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), variables(servers)...)
	child, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		return 1, err
	}
	select {
	case <-child.Done():
		return cmd.ProcessState.ExitCode(), nil
	case <-signals.Done():
	}
	if err := child.Signal(syscall.SIGTERM); err != nil {
		return 1, err
	}
	select {
	case <-child.Done():
	case <-time.After(stopLimit):
	}
	return 130, child.Signal(syscall.SIGKILL)
}
