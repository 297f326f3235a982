package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Time limits of a stand-in's server.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = maxDelayMS*time.Millisecond + 15*time.Second // room for the slowest fault
	idleTimeout       = 60 * time.Second
	drainTimeout      = 3 * time.Second
)

// Server is a stand-in that listens.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// Listen binds a loopback address such as "127.0.0.1:8301"; port 0 takes a
// free one. From then on clients can connect; they are answered once
// [Server.Run] runs. It refuses an address that other machines could reach,
// for anyone may read and steer a stand-in: see [ListenToAll].
func Listen(address string, handler http.Handler) (*Server, error) {
	tcp, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("sandbox address %q: %w", address, err)
	}
	if !tcp.IP.IsLoopback() {
		return nil, fmt.Errorf("sandbox address %q is not a loopback address", address)
	}
	return listen(tcp, handler)
}

// ListenToAll is Listen at any address, such as ":8301". It is for a network
// on which only those are who may read and steer the stand-in, as a container
// has one.
func ListenToAll(address string, handler http.Handler) (*Server, error) {
	tcp, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("sandbox address %q: %w", address, err)
	}
	return listen(tcp, handler)
}

func listen(tcp *net.TCPAddr, handler http.Handler) (*Server, error) {
	listener, err := net.ListenTCP("tcp", tcp)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return &Server{
		listener: listener,
		http: &http.Server{
			Handler:           handler,
			ReadHeaderTimeout: readHeaderTimeout,
			ReadTimeout:       readTimeout,
			WriteTimeout:      writeTimeout,
			IdleTimeout:       idleTimeout,
		},
	}, nil
}

// URL is the base URL of the stand-in, without a slash at its end.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Run answers requests until ctx ends, then lets those in flight finish
// within three seconds and cuts off what is left. It returns nil after such
// an end, and otherwise why it could not go on. It can be called once.
func (s *Server) Run(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("sandbox at %s: %w", s.URL(), err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	err := s.http.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if err != nil {
		return fmt.Errorf("stop sandbox at %s: %w", s.URL(), err)
	}
	return nil
}
