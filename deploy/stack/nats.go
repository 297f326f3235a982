package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"integration.gateway/contracts"
)

// natsReady bounds the start of the NATS server.
const natsReady = 10 * time.Second

// startNATS runs a NATS server with JetStream in this process and returns its
// URL and how to stop it.
func startNATS(ctx context.Context, cfg Config) (url string, stop func(), err error) {
	port, err := freePort(ctx, cfg.NATSPort)
	if err != nil {
		return "", nil, fmt.Errorf("NATS (NATS_PORT): %w", err)
	}
	srv, err := server.NewServer(&server.Options{
		ServerName: "integration-gateway",
		Host:       "127.0.0.1",
		Port:       port,
		JetStream:  true,
		StoreDir:   cfg.path("nats"),
		SyncAlways: true, // what is confirmed is on disk, as an effect's start must be
		MaxPayload: contracts.MaxMessageBytes,
		NoSigs:     true,
		NoLog:      true,
	})
	if err != nil {
		return "", nil, fmt.Errorf("NATS: %w", err)
	}
	srv.Start()
	stop = func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
	if !srv.ReadyForConnections(natsReady) {
		stop()
		return "", nil, errors.New("NATS: the server did not start; its files are in " + cfg.path("nats"))
	}
	return srv.ClientURL(), stop, nil
}

// freePort checks that a port on this machine is free; 0 picks a free one.
func freePort(ctx context.Context, wanted int) (int, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(wanted)))
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	addr, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("%s is not a TCP address", listener.Addr())
	}
	return addr.Port, nil
}
