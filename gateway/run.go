package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// maxHeaderBytes bounds a request's head. What is longer never reaches the
// edge: net/http answers 431 itself.
const maxHeaderBytes = 64 << 10

// Listen takes the address. Run does it when it was not done before; doing it
// apart tells the address, and a port in use, at once.
func (s *Server) Listen(ctx context.Context) error {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", s.cfg.Addr)
	if err != nil {
		return fmt.Errorf("gateway (GATEWAY_ADDR): %w", err)
	}
	s.listener = listener
	return nil
}

// Close gives the address back that Listen took. Run does so by itself; a
// gateway that is not run after all has to be closed.
func (s *Server) Close() error {
	if err := s.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("gateway: %w", err)
	}
	return nil
}

// Addr is the address that the gateway listens on, once Listen has returned.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Run serves until ctx ends, then drains: /readyz says no, after the drain
// delay no more connections are taken, clients of sessions are let go, to come
// back to another gateway, and requests under way are finished.
// Those that outlast the drain timeout are cut off, which is an error.
func (s *Server) Run(ctx context.Context) error {
	if s.listener == nil {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	defer s.sessions.close()
	requests, cancelRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelRequests()
	srv := &http.Server{
		Handler:           s.handler,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: s.cfg.HeaderTimeout,
		WriteTimeout:      s.longest + 2*s.cfg.BodyTimeout, // from the end of the head: body, operation, answer
		IdleTimeout:       s.cfg.IdleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		// ReadTimeout stays zero: it would end the context of a request that
		// takes longer, since net/http reads on to notice a caller's hang-up.
		// The edge bounds the time for the body instead.
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(s.listener) }()
	s.log.Info("gateway listens", "address", s.Addr())
	s.ready.Store(true)

	select {
	case err := <-served:
		return fmt.Errorf("gateway: %w", err)
	case <-ctx.Done():
	}
	err := s.drain(srv)
	cancelRequests()
	if serveErr := <-served; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("gateway: %w", serveErr))
	}
	return err
}

// drain ends srv as Run promises.
func (s *Server) drain(srv *http.Server) error {
	s.ready.Store(false)
	s.log.Info("gateway drains")
	time.Sleep(s.cfg.DrainDelay)
	s.sessions.end()
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.DrainTimeout)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		return fmt.Errorf("gateway: requests were cut off after the drain timeout: %w", errors.Join(err, srv.Close()))
	}
	return nil
}
