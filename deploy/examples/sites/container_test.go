// Package sites_test plays the example sites at the applications that they are for. These run in containers, from images that
// deploy/images builds of Debian's packages: nobody here wrote them.
package sites_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"

	"integration.gateway/contracts"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const (
	containerLifetime = 10 * time.Minute // of one that nobody removed, since the test was killed
	readyWithin       = time.Minute
	askEvery          = 50 * time.Millisecond
	dockerAnswers     = 10 * time.Second
)

// application runs in a container of its own until the test ends.
type application struct {
	URL string // of its port, which is published on the loopback interface only

	pool     *dockertest.Pool
	resource *dockertest.Resource
}

// start runs an image of deploy/images and waits until the path answers. Without Docker the test is skipped, or fails where
// REQUIRE_DOCKER=1 says that there must be one.
func start(t *testing.T, image, port, path string, options dockertest.RunOptions) *application {
	t.Helper()
	pool := findDocker(t)
	options.Repository, options.Tag, _ = strings.Cut(build(t, image), ":")
	options.Labels = map[string]string{"integration.gateway": "examples"}
	options.ExposedPorts = []string{port}
	options.PortBindings = map[docker.Port][]docker.PortBinding{docker.Port(port): {{HostIP: "127.0.0.1"}}}
	resource, err := pool.RunWithOptions(&options, func(host *docker.HostConfig) { host.AutoRemove = true })
	if err != nil {
		t.Fatalf("start %s: %v", image, err)
	}
	t.Cleanup(func() {
		if err := pool.Purge(resource); err != nil {
			t.Errorf("remove the container of %s: %v", image, err)
		}
		pool.Client.HTTPClient.CloseIdleConnections()
	})
	if err := resource.Expire(uint(containerLifetime.Seconds())); err != nil {
		t.Fatal(err)
	}
	a := &application{URL: "http://" + resource.GetHostPort(port), pool: pool, resource: resource}
	a.await(t, path)
	return a
}

func findDocker(t *testing.T) *dockertest.Pool {
	t.Helper()
	pool, err := dockertest.NewPool("")
	if err == nil {
		pool.Client.SetTimeout(dockerAnswers)
		err = pool.Client.Ping()
		pool.Client.SetTimeout(0)
	}
	switch {
	case err == nil:
	case os.Getenv("REQUIRE_DOCKER") == "1":
		t.Fatalf("REQUIRE_DOCKER=1, and there is no Docker: %v", err)
	default:
		t.Skipf("the application runs in a container, and there is no Docker: %v", err)
	}
	return pool
}

// build returns the image's name. The script builds it where it is missing, and tells what it does meanwhile.
func build(t *testing.T, image string) string {
	t.Helper()
	var name bytes.Buffer
	script := exec.CommandContext(t.Context(), filepath.Join("..", "..", "images", image))
	script.Stdout, script.Stderr = &name, os.Stderr
	if err := script.Run(); err != nil {
		t.Fatalf("build the image: deploy/images/%s: %v", image, err)
	}
	return strings.TrimSpace(name.String())
}

// await asks for the path until it is answered with 200.
func (a *application) await(t *testing.T, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readyWithin)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ticker := time.NewTicker(askEvery)
	defer ticker.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("the application does not answer at %s%s: %v", a.URL, path, err)
		}
	}
}

// load reads an example, such as dealer-sales/fossil, for the application that was started for it. An example is one to follow, so
// there is nothing to be warned of in it.
func load(t *testing.T, example string, a *application, operations []contracts.Entry) *flow.Site {
	t.Helper()
	site, err := flow.Load(os.DirFS(filepath.FromSlash(example)), flow.ContractsOf(operations...))
	if err != nil {
		t.Fatal(err)
	}
	for _, warning := range site.Warnings() {
		t.Errorf("a warning: %v", warning)
	}
	if site, err = site.WithBaseURL(a.URL); err != nil {
		t.Fatal(err)
	}
	return site
}

// run runs a command beside the application and returns what it printed.
func (a *application) run(t *testing.T, command ...string) string {
	t.Helper()
	var output, complaint bytes.Buffer
	code, err := a.resource.Exec(command, dockertest.ExecOptions{StdOut: &output, StdErr: &complaint})
	if err != nil || code != 0 {
		t.Fatalf("%v: code %d, %v: %s", command, code, err, complaint.String())
	}
	return output.String()
}
