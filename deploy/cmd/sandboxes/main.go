// Command sandboxes runs the stand-ins of all applications in one process, each
// on the port that the address of its sandbox site names. It is for a
// container: it listens on all addresses, and whoever reaches it may read and
// steer the stand-ins.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"integration.gateway/pkg/flow"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/applications"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandboxes:", err)
		os.Exit(1)
	}
}

// run serves all stand-ins until ctx or one of them ends.
func run(ctx context.Context, logger *slog.Logger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var servers []*kit.Server
	for _, application := range applications.All {
		port, err := portOf(application)
		if err != nil {
			return err
		}
		server, err := kit.ListenToAll(net.JoinHostPort("", port), application.Sandbox())
		if err != nil {
			return err
		}
		logger.Info("serving", "sandbox", application.Name, "port", port)
		servers = append(servers, server)
	}
	ended := make(chan error, len(servers))
	for _, server := range servers {
		go func() {
			defer cancel()
			ended <- server.Run(ctx)
		}()
	}
	var errs []error
	for range servers {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

// portOf is the port at which the application's sandbox site expects its
// stand-in.
func portOf(application applications.Application) (string, error) {
	folder, err := fs.Sub(application.Sites, "sites/"+applications.SandboxSite)
	if err != nil {
		return "", err
	}
	site, err := flow.Load(folder, flow.ContractsOf(application.Entries()...))
	if err != nil {
		return "", fmt.Errorf("the sandbox site of %s: %w", application.Name, err)
	}
	base, err := url.Parse(site.BaseURL)
	if err != nil {
		return "", fmt.Errorf("the sandbox site of %s: %w", application.Name, err)
	}
	return base.Port(), nil
}
