package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"time"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
	"github.com/jackc/pgx/v5"
	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"

	"integration.gateway/pkg/postgres"
)

const (
	databaseStart   = 60 * time.Second // of an installed server
	databaseFetch   = 3 * time.Minute  // of one that is downloaded first
	databaseStop    = 10 * time.Second
	downloaded      = embeddedpostgres.V17
	dockerTag       = "17"
	dockerContainer = "5432/tcp"
)

// startPostgres starts a Postgres of the stack's own. It takes the first that
// there is: one from the machine's own programs, one whose programs are
// downloaded, one in Docker. Run stops it when its context ends, and returns
// before that with an error when it ends by itself.
func startPostgres(ctx context.Context, cfg Config, logger *slog.Logger) (url string, run func(context.Context) error, err error) {
	if cfg.PostgresPort, err = freePort(ctx, cfg.PostgresPort); err != nil {
		return "", nil, fmt.Errorf("PostgreSQL (POSTGRES_PORT): %w", err)
	}
	url, run, err = installedDatabase(ctx, cfg)
	if !errors.Is(err, postgres.ErrNotInstalled) {
		return url, run, err
	}
	logger.Info("PostgreSQL is not installed on this machine; downloading it")
	url, stop, downloadErr := downloadedDatabase(cfg)
	if downloadErr == nil {
		return url, untilStopped(stop), nil
	}
	logger.Info("PostgreSQL could not be downloaded; trying Docker", "error", downloadErr)
	url, stop, dockerErr := dockerDatabase(ctx, cfg)
	if dockerErr == nil {
		return url, untilStopped(stop), nil
	}
	return "", nil, fmt.Errorf("no PostgreSQL to be had; install it or set STACK_DATABASE_URL: %w", errors.Join(err, downloadErr, dockerErr))
}

// untilStopped runs what only stop ends: nobody tells when such a server dies.
func untilStopped(stop func() error) func(context.Context) error {
	return func(ctx context.Context) error {
		<-ctx.Done()
		return stop()
	}
}

func installedDatabase(ctx context.Context, cfg Config) (string, func(context.Context) error, error) {
	ctx, cancel := context.WithTimeout(ctx, databaseStart)
	defer cancel()
	srv, err := postgres.Start(ctx, postgres.Options{Dir: cfg.path("postgres"), Port: cfg.PostgresPort})
	if err != nil {
		return "", nil, err
	}
	return srv.URL(), func(ctx context.Context) error {
		select {
		case <-srv.Done():
			return errors.Join(errors.New("it has ended by itself"), srv.Err())
		case <-ctx.Done():
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), databaseStop)
		defer cancel()
		return srv.Stop(ctx)
	}, nil
}

func downloadedDatabase(cfg Config) (string, func() error, error) {
	dir := cfg.path("postgres-downloaded")
	settings := embeddedpostgres.DefaultConfig().
		Version(downloaded).
		Port(uint32(cfg.PostgresPort)).
		BinariesPath(dir + "/programs").
		RuntimePath(dir + "/runtime").
		DataPath(dir + "/data").
		StartTimeout(databaseFetch).
		Logger(nil)
	srv := embeddedpostgres.NewDatabase(settings)
	if err := srv.Start(); err != nil {
		return "", nil, err
	}
	return settings.GetConnectionURL() + "?sslmode=disable", srv.Stop, nil
}

func dockerDatabase(ctx context.Context, cfg Config) (string, func() error, error) {
	pool, err := dockertest.NewPool("")
	if err != nil {
		return "", nil, err
	}
	pool.MaxWait = databaseStart
	data, err := filepath.Abs(cfg.path("postgres-docker"))
	if err != nil {
		return "", nil, err
	}
	port := strconv.Itoa(cfg.PostgresPort)
	const password = "integration-gateway" // of a server that only this machine reaches
	container, err := pool.RunWithOptions(&dockertest.RunOptions{
		Repository: "postgres",
		Tag:        dockerTag,
		Env:        []string{"POSTGRES_PASSWORD=" + password},
		Mounts:     []string{data + ":/var/lib/postgresql/data"},
		PortBindings: map[docker.Port][]docker.PortBinding{
			dockerContainer: {{HostIP: "127.0.0.1", HostPort: port}},
		},
	}, func(host *docker.HostConfig) { host.AutoRemove = true })
	if err != nil {
		return "", nil, err
	}
	stop := func() error { return pool.Purge(container) }
	url := fmt.Sprintf("postgres://postgres:%s@%s/postgres?sslmode=disable", password, net.JoinHostPort("127.0.0.1", port))
	if err := pool.Retry(func() error { return answers(ctx, url) }); err != nil {
		return "", nil, errors.Join(err, stop())
	}
	return url, stop, nil
}

// answers says whether a database takes connections.
func answers(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}
