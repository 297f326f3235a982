package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"

	"integration.gateway/pkg/process"
)

// Options say which server to start.
type Options struct {
	// Dir holds the cluster, its password and its log. It is created when missing; an existing cluster is used as it is.
	Dir string
	// Port on 127.0.0.1; 0 picks a free one.
	Port int
	// Settings are run-time parameters of the server, such as max_connections.
	Settings map[string]string
	// Environment is what the server has in its environment beside the little that it always has, as "NAME=value".
	Environment []string
	// Programs is the folder of initdb and postgres; empty means the one that Find returns.
	Programs string
}

// Server is a running PostgreSQL server.
type Server struct {
	process *process.Process
	url     string
	log     string
}

// Start starts a server and returns when it accepts connections, the context bounding the wait. Its errors are one line
// and name what is wrong: no programs (ErrNotInstalled), a port in use, a cluster that another server holds or another version made.
func Start(ctx context.Context, options Options) (*Server, error) {
	programs := options.Programs
	if programs == "" {
		var err error
		if programs, err = Find(); err != nil {
			return nil, err
		}
	}
	port, err := choosePort(ctx, options.Port)
	if err != nil {
		return nil, err
	}
	cluster, err := openCluster(ctx, options.Dir, programs)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL: %w", err)
	}
	// A server that was killed leaves children behind, which notice within
	// moments, and as long as they live no other may open the cluster.
	return backoff.Retry(ctx, func() (*Server, error) {
		server, err := cluster.startAndWait(ctx, port, options)
		if err != nil && !strings.Contains(err.Error(), orphansComplaint) {
			err = backoff.Permanent(err)
		}
		return server, err
	}, backoff.WithBackOff(backoff.NewConstantBackOff(200*time.Millisecond)), backoff.WithMaxElapsedTime(orphansLimit))
}

const (
	orphansComplaint = "pre-existing shared memory block" // of PostgreSQL's about a killed server's children
	orphansLimit     = 15 * time.Second                   // for them to end
)

func (c cluster) startAndWait(ctx context.Context, port int, options Options) (*Server, error) {
	server, err := c.start(port, options)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL: %w", err)
	}
	if err := server.awaitReady(ctx); err != nil {
		_ = server.process.Signal(syscall.SIGKILL)
		<-server.process.Done()
		return nil, err
	}
	return server, nil
}

func choosePort(ctx context.Context, wanted int) (int, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(wanted)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return 0, fmt.Errorf("port %d, wanted for PostgreSQL, is in use", wanted)
	}
	if err != nil {
		return 0, fmt.Errorf("port %d for PostgreSQL: %w", wanted, err)
	}
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.Join(errors.New("no TCP address"), listener.Close())
	}
	return address.Port, listener.Close()
}

func (c cluster) start(port int, options Options) (*Server, error) {
	password, err := c.password()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(c.log())
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the server has its own descriptor

	cmd := exec.Command(filepath.Join(c.programs, "postgres")) //nolint:noctx // lives until Stop, not until a context's end
	told, release, err := c.owner.program(cmd, c.data())
	if err != nil {
		return nil, err
	}
	defer release()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(cmd.Env, options.Environment...)
	cmd.Args = append(cmd.Args, "-D", told[0], "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=")
	for _, name := range slices.Sorted(maps.Keys(options.Settings)) {
		cmd.Args = append(cmd.Args, "-c", name+"="+options.Settings[name])
	}

	// SIGINT is PostgreSQL's fast shutdown: an orphaned server still closes its cluster in order.
	child, err := process.Start(cmd, syscall.SIGINT)
	if err != nil {
		return nil, err
	}
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword("postgres", password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: "/postgres", RawQuery: "sslmode=disable",
	}
	return &Server{process: child, url: address.String(), log: c.log()}, nil
}

func (s *Server) awaitReady(ctx context.Context) error {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := ping(ctx, s.url)
		if err == nil {
			return nil
		}
		select {
		case <-s.process.Done():
			return fmt.Errorf("PostgreSQL: %w", s.Err())
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL is not ready: %w", err)
		case <-ticker.C:
		}
	}
}

func ping(ctx context.Context, databaseURL string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// URL is the superuser's connection URL. It contains the password.
func (s *Server) URL() string { return s.url }

// PID is the process id of the server; its other processes are children of that one.
func (s *Server) PID() int { return s.process.PID() }

// Done is closed when the server has ended, by Stop or by itself.
func (s *Server) Done() <-chan struct{} { return s.process.Done() }

// Err says why the server ended: nil after an orderly shutdown, otherwise with the last complaint of its log. It blocks
// until the server has ended.
func (s *Server) Err() error {
	err := s.process.Err()
	if err == nil {
		return nil
	}
	log, readErr := os.ReadFile(s.log)
	if readErr != nil {
		return err
	}
	return fmt.Errorf("%s (%w)", lastComplaint(log), err)
}

// Stop shuts the server down: sessions are ended, the cluster is closed in order. When the context ends first, the server is killed, which
// it survives: the next start recovers.
func (s *Server) Stop(ctx context.Context) error {
	if err := s.process.Stop(ctx, syscall.SIGINT); err != nil {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	return nil
}

// Kill ends the server as a crash does, without a word, and returns when it is gone; the next start recovers. It is made for tests.
func (s *Server) Kill() error {
	if err := s.process.Signal(syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill PostgreSQL: %w", err)
	}
	<-s.process.Done()
	return nil
}
