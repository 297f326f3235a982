package infra

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"
)

// ownContainer is the label of a container that one test has for itself.
const ownContainer = "testenv-own"

// container is a server in a container that is killed and started again. Its data are in a volume, which goes
// with it.
type container struct {
	client  *docker.Client
	image   image
	address string
	url     string
	ping    func(ctx context.Context, url string) error
	id      string
	saved   []byte // the store, as a tar archive
	place   string // of the archive
}

func newContainer(ctx context.Context, root string, pool *dockertest.Pool, kind string) (Own, error) {
	c := &container{client: pool.Client}
	if err := c.removeForgotten(ctx); err != nil {
		return nil, err
	}
	port, err := choosePort(ctx)
	if err != nil {
		return nil, err
	}
	c.address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if kind == NATS {
		name, err := buildNATSImage(ctx, root)
		if err != nil {
			return nil, err
		}
		c.image, c.url, c.ping = natsImage(name), ownNATSURL(c.address), pingNATS
		return c, c.create(ctx)
	}
	name, err := buildImage(ctx, root, kind) // a script in deploy/images is called like each kind of Postgres
	if err != nil {
		return nil, err
	}
	c.image, c.url, c.ping = postgresImage(name), containerDatabaseURL(c.address), pingPostgres
	if kind == PostgresClock {
		c.image.environment = append(c.image.environment, clockEnvironment...)
	}
	return &postgresContainer{c}, c.create(ctx)
}

// ownNATSURL is the URL of the first account.
func ownNATSURL(address string) string {
	return (&url.URL{Scheme: "nats", User: url.UserPassword("t0", "t0"), Host: address}).String()
}

// removeForgotten removes what was left behind by processes that were killed. Docker itself would remove a container when it
// stops, which is not to happen to one that is to start again.
func (c *container) removeForgotten(ctx context.Context) error {
	found, err := c.client.ListContainers(docker.ListContainersOptions{
		Context: ctx, All: true, Filters: map[string][]string{"label": {containerLabel + "=" + ownContainer}},
	})
	if err != nil {
		return fmt.Errorf("look for forgotten containers: %w", err)
	}
	for _, each := range found {
		if time.Since(time.Unix(each.Created, 0)) < containerLifetime {
			continue
		}
		if err := removeContainer(ctx, c.client, each.ID); err != nil {
			return err
		}
	}
	return nil
}

func removeContainer(ctx context.Context, client *docker.Client, id string) error {
	err := client.RemoveContainer(docker.RemoveContainerOptions{Context: ctx, ID: id, Force: true, RemoveVolumes: true})
	if gone := new(docker.NoSuchContainer); errors.As(err, &gone) {
		return nil
	}
	return err
}

func (c *container) create(ctx context.Context) error {
	host, port, err := net.SplitHostPort(c.address)
	if err != nil {
		return err
	}
	published := &docker.HostConfig{
		PortBindings: map[docker.Port][]docker.PortBinding{c.image.port: {{HostIP: host, HostPort: port}}},
	}
	prepareHost(published, true) // memory would be gone with the process that is killed
	made, err := c.client.CreateContainer(docker.CreateContainerOptions{
		Context: ctx,
		Config: &docker.Config{
			Image: c.image.name, Cmd: c.image.command, Env: c.image.environment,
			Labels:       map[string]string{containerLabel: ownContainer},
			ExposedPorts: map[docker.Port]struct{}{c.image.port: {}},
			StopSignal:   "SIGWINCH", // which the servers ignore, see expire
		},
		HostConfig: published,
	})
	if err != nil {
		return fmt.Errorf("create a container of %s: %w", c.image.name, err)
	}
	c.id = made.ID
	return nil
}

// URL implements Own.
func (c *container) URL() string { return c.url }

// Start implements Own.
func (c *container) Start(ctx context.Context) error {
	if err := c.client.StartContainerWithContext(c.id, nil, ctx); err != nil {
		return fmt.Errorf("start the container: %w", err)
	}
	go c.expire(c.id)
	return retry(ctx, func(ctx context.Context) error { return c.ping(ctx, c.url) })
}

// expire has Docker stop the container after its lifetime, by force as it ignores the signal, even if this process is gone by
// then. It returns when the container has stopped in any way.
func (c *container) expire(id string) {
	_ = c.client.StopContainer(id, uint(containerLifetime.Seconds()))
}

// Kill implements Own.
func (c *container) Kill(ctx context.Context) error {
	if err := c.client.KillContainer(docker.KillContainerOptions{Context: ctx, ID: c.id, Signal: docker.SIGKILL}); err != nil {
		return fmt.Errorf("kill the container: %w", err)
	}
	_, err := c.client.WaitContainerWithContext(c.id, ctx)
	return err
}

// Stop implements Own.
func (c *container) Stop(ctx context.Context) error { return removeContainer(ctx, c.client, c.id) }

// Save implements Own.
func (c *container) Save(ctx context.Context) error { return c.save(ctx, dataFolder, "/") }

// save keeps a folder, whose place is the one given when it is brought back.
func (c *container) save(ctx context.Context, folder, place string) error {
	var archive bytes.Buffer
	err := c.client.DownloadFromContainer(c.id, docker.DownloadFromContainerOptions{Context: ctx, Path: folder, OutputStream: &archive})
	c.saved, c.place = archive.Bytes(), place
	return err
}

// Restore implements Own.
func (c *container) Restore(ctx context.Context) error {
	if err := c.Remove(ctx); err != nil {
		return err
	}
	return c.client.UploadToContainer(c.id, docker.UploadToContainerOptions{Context: ctx, Path: c.place, InputStream: bytes.NewReader(c.saved)})
}

// Remove implements Own: a new container has no data.
func (c *container) Remove(ctx context.Context) error {
	if err := removeContainer(ctx, c.client, c.id); err != nil {
		return err
	}
	return c.create(ctx)
}
