package infra

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"
)

// Containers that nobody removed, since this process was killed, are killed by Docker after this time.
const containerLifetime = 45 * time.Minute

const (
	containerLabel = "integration.gateway" // marks our containers, its value says whose they are
	sharedMemory   = 256 << 20             // bytes; Docker's own 64 MB are too few for Postgres
	pingLimit      = 2 * time.Second
)

// findDocker returns the daemon that the environment names, if it answers, and the daemon's version.
func findDocker() (pool *dockertest.Pool, daemon string, err error) {
	if pool, err = dockertest.NewPool(""); err != nil {
		return nil, "", fmt.Errorf("no Docker: %w", err)
	}
	pool.Client.SetTimeout(10 * time.Second)
	version, err := pool.Client.Version()
	if err != nil {
		return nil, "", fmt.Errorf("no Docker: %w", err)
	}
	pool.Client.SetTimeout(0)
	return pool, fmt.Sprintf("Docker %s at %s", version.Get("Version"), pool.Client.Endpoint()), nil
}

// startContainers starts both servers in containers, building their images first where they are missing.
func (i *Infra) startContainers(ctx context.Context, root string, pool *dockertest.Pool) error {
	postgresImage, err := buildPostgresImage(ctx, root)
	if err != nil {
		return err
	}
	natsImage, err := buildNATSImage(ctx, root)
	if err != nil {
		return err
	}
	if err := i.startPostgresContainer(ctx, pool, postgresImage); err != nil {
		return fmt.Errorf("Postgres container: %w", err)
	}
	if err := i.startNATSContainer(ctx, pool, natsImage); err != nil {
		return fmt.Errorf("NATS container: %w", err)
	}
	return nil
}

// buildImage runs the script in deploy/images that builds an image where it is missing, and returns the image's name, which the
// script prints. What the script says besides goes to the user: a first build takes a while.
func buildImage(ctx context.Context, root, script string, arguments ...string) (string, error) {
	var name bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(root, "deploy", "images", script), arguments...)
	cmd.Stdout, cmd.Stderr = &name, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build the image: deploy/images/%s: %w", script, err)
	}
	return strings.TrimSpace(name.String()), nil
}

func buildPostgresImage(ctx context.Context, root string) (string, error) {
	return buildImage(ctx, root, "postgres")
}

func buildNATSImage(ctx context.Context, root string) (string, error) {
	program, err := buildNATSServer(ctx, root)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "integration-gateway-testenv-")
	if err != nil {
		return "", err
	}
	config := filepath.Join(dir, "nats-server.conf")
	err = os.WriteFile(config, []byte(natsConfig("listen: 0.0.0.0:4222", fmt.Sprintf("jetstream { store_dir: %q, sync_interval: always }", dataFolder))), 0o600)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	name, err := buildImage(ctx, root, "nats-server", program, config)
	return name, errors.Join(err, os.RemoveAll(dir))
}

// image is how a container of one of the servers is made.
type image struct {
	name        string
	port        docker.Port // on which the server listens
	command     []string
	environment []string
}

// prepareHost gives a container what its server needs of the machine. The data are in memory or in a volume, which goes with the
// container: a container's own layer is a slow disk where Docker has to make it in user space.
func prepareHost(host *docker.HostConfig, onDisk bool) {
	host.ShmSize = sharedMemory
	if onDisk {
		host.Mounts = []docker.HostMount{{Type: "volume", Target: dataFolder}}
	} else {
		host.Tmpfs = map[string]string{dataFolder: "mode=1777"}
	}
}

// dataFolder is where the data are.
const dataFolder = "/data"

const containerPassword = "testenv" // reachable from this machine only

func postgresImage(name string) image {
	command := []string{"postgres", "-c", "listen_addresses=*"}
	for name, value := range postgresSettings {
		command = append(command, "-c", name+"="+value)
	}
	return image{name: name, port: "5432/tcp", command: command, environment: []string{
		"PGDATA=" + dataFolder + "/postgres",
		"POSTGRES_PASSWORD=" + containerPassword,
		// The server hashes the password then, not the client: the 4,096 rounds of SCRAM for each connection, with the race detector
		// looking on, would be a third of the time of some tests.
		"POSTGRES_HOST_AUTH_METHOD=password",
	}}
}

func natsImage(name string) image { return image{name: name, port: "4222/tcp"} }

// run starts a container, and returns the addresses at which its server is reached: the container's own, and the one published for it
// on the loopback interface. At the published one a proxy of Docker's copies every byte, and tests take a fifth longer; but there is
// a way to the container's own only if Docker runs on this machine, and not in a virtual one.
func (i *Infra) run(pool *dockertest.Pool, of image) (addresses []string, err error) {
	repository, tag, _ := strings.Cut(of.name, ":")
	resource, err := pool.RunWithOptions(&dockertest.RunOptions{
		Repository: repository, Tag: tag, Cmd: of.command, Env: of.environment,
		Labels:       map[string]string{containerLabel: "testenv"},
		ExposedPorts: []string{string(of.port)},
		PortBindings: map[docker.Port][]docker.PortBinding{of.port: {{HostIP: "127.0.0.1"}}},
	}, func(host *docker.HostConfig) {
		host.AutoRemove = true
		prepareHost(host, i.onDisk)
	})
	if err != nil {
		return nil, err
	}
	i.stops = append(i.stops, func(context.Context) error { return pool.Purge(resource) })
	if err := resource.Expire(uint(containerLifetime.Seconds())); err != nil {
		return nil, err
	}
	for _, network := range resource.Container.NetworkSettings.Networks {
		addresses = append(addresses, net.JoinHostPort(network.IPAddress, of.port.Port()))
	}
	return append(addresses, resource.GetHostPort(string(of.port))), nil
}

// answering waits for a server, and returns the first of its URLs at which it answers.
func answering(ctx context.Context, addresses []string, url func(address string) string, ping func(ctx context.Context, url string) error) (string, error) {
	var found string
	err := retry(ctx, func(ctx context.Context) error {
		var failures error
		for _, address := range addresses {
			found = url(address)
			err := ping(ctx, found)
			if err == nil {
				return nil
			}
			failures = errors.Join(failures, err)
		}
		return failures
	})
	return found, err
}

func (i *Infra) startPostgresContainer(ctx context.Context, pool *dockertest.Pool, name string) error {
	addresses, err := i.run(pool, postgresImage(name))
	if err != nil {
		return err
	}
	i.DatabaseURL, err = answering(ctx, addresses, containerDatabaseURL, pingPostgres)
	return err
}

func containerDatabaseURL(address string) string {
	return (&url.URL{
		Scheme: "postgres", User: url.UserPassword("postgres", containerPassword), Host: address, Path: "/postgres", RawQuery: "sslmode=disable",
	}).String()
}

func (i *Infra) startNATSContainer(ctx context.Context, pool *dockertest.Pool, name string) error {
	addresses, err := i.run(pool, natsImage(name))
	if err != nil {
		return err
	}
	i.NATSURL, err = answering(ctx, addresses, func(address string) string { return "nats://" + address }, pingNATS)
	return err
}

func pingPostgres(ctx context.Context, databaseURL string) error {
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// pingNATS connects as the first account, and asks for an answer of JetStream, which is there a little later than the port.
func pingNATS(ctx context.Context, address string) error {
	conn, err := nats.Connect(address, nats.UserInfo("t0", "t0"), nats.Timeout(pingLimit))
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	_, err = js.AccountInfo(ctx)
	return err
}

// retry calls the attempt until it succeeds or the context ends; the last attempt's error is returned then.
func retry(ctx context.Context, attempt func(context.Context) error) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w", err)
		}
	}
}
