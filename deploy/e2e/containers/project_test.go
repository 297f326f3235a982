package containers_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	healthyLimit = 3 * time.Minute
	removeLimit  = 2 * time.Minute
	askEvery     = 200 * time.Millisecond
)

// project is the gateway in containers of the test's own.
type project struct {
	*testing.T
	settings    string   // file
	compose     []string // command line, up to what is to be done
	env         []string
	gatewayURL  string
	adminToken  string
	accessToken string
	callerID    string
}

// start builds the images where they are missing and starts everything. It is
// gone, with its networks and volumes, when the test ends, however it ends.
func start(t *testing.T) *project {
	t.Helper()
	compose := findCompose(t)
	settings := filepath.Join(t.TempDir(), "env")
	prepare := exec.CommandContext(t.Context(), filepath.Join(deploy, "compose-env"), settings)
	prepare.Stderr = os.Stderr // a first build takes a while
	if err := prepare.Run(); err != nil {
		t.Fatalf("deploy/compose-env: %v", err)
	}
	address := freeAddress(t)
	p := &project{T: t, settings: settings, gatewayURL: "http://" + address}
	name := "igw-test-" + strings.ToLower(rand.Text()[:10])
	p.compose = slices.Concat(compose, []string{
		"--env-file", settings, "--project-name", name, "--file", "compose.yaml",
		"--file", "compose-published.yaml", "--file", "e2e/containers/testdata/published.yaml",
	})
	p.env = append(os.Environ(), "COMPOSE_PROFILES=sandboxes", "GATEWAY_PUBLISH="+address, "PUBLIC_URL="+p.gatewayURL,
		"NATS_PUBLISH=127.0.0.1:", "POSTGRES_PUBLISH=127.0.0.1:", // free ports
		"SESSIONS_RESERVE=0", "CONTEXTS=4", "INSTANCE_LEASE=2s", "RECONCILE_SETTLE=2s")
	p.adminToken = setting(t, settings, "ADMIN_TOKEN")
	p.removeAtTheEnd()
	p.do("up", "--detach")
	p.awaitHealthy()
	return p
}

// findCompose is Docker's compose, of the second or the first kind. Without it
// or Docker the test is skipped, or fails where REQUIRE_DOCKER=1 says that they
// must be there.
func findCompose(t *testing.T) []string {
	t.Helper()
	err := exec.CommandContext(t.Context(), "docker", "version").Run()
	if err == nil {
		if exec.CommandContext(t.Context(), "docker", "compose", "version").Run() == nil {
			return []string{"docker", "compose"}
		}
		if err = exec.CommandContext(t.Context(), "docker-compose", "version").Run(); err == nil {
			return []string{"docker-compose"}
		}
	}
	if os.Getenv("REQUIRE_DOCKER") == "1" {
		t.Fatalf("REQUIRE_DOCKER=1, and there is no Docker with compose: %v", err)
	}
	t.Skipf("this runs in containers, and there is no Docker with compose: %v", err)
	return nil
}

// removeAtTheEnd has another process remove the project once this one has
// closed a pipe, which it also does by being killed.
func (p *project) removeAtTheEnd() {
	p.Helper()
	end, begin, err := os.Pipe()
	if err != nil {
		p.Fatal(err)
	}
	said, err := os.Create(filepath.Join(p.ArtifactDir(), "removal.log"))
	if err != nil {
		p.Fatal(err)
	}
	arguments := slices.Concat([]string{"-c", `cat; exec "$@"`, "sh"}, p.compose, []string{"down", "--volumes", "--timeout", "0"})
	remover := exec.Command("sh", arguments...)
	remover.Dir, remover.Env, remover.Stdin, remover.Stdout, remover.Stderr = deploy, p.env, end, said, said
	remover.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal to this process's group reaches it
	if err := errors.Join(remover.Start(), end.Close()); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		if p.Failed() {
			p.Log(p.output("logs", "--no-color", "--tail", "40"))
		}
		_ = begin.Close()
		late := time.AfterFunc(removeLimit, func() { _ = remover.Process.Kill() })
		defer late.Stop()
		if err := errors.Join(remover.Wait(), said.Close()); err != nil {
			text, _ := os.ReadFile(said.Name())
			p.Errorf("remove the containers: %v: %s", err, text)
		}
	})
}

// do has compose do something, which must succeed.
func (p *project) do(arguments ...string) {
	p.Helper()
	p.output(arguments...)
}

// output is what compose prints.
func (p *project) output(arguments ...string) string {
	p.Helper()
	command := slices.Concat(p.compose, arguments)
	cmd := exec.CommandContext(context.WithoutCancel(p.Context()), command[0], command[1:]...)
	var complaint bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = deploy, p.env, &complaint
	output, err := cmd.Output()
	if err != nil {
		p.Fatalf("%s: %v: %s%s", strings.Join(arguments, " "), err, output, &complaint)
	}
	return strings.TrimSpace(string(output))
}

// awaitHealthy waits until each container of the project says of itself that
// it is well.
func (p *project) awaitHealthy() {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), healthyLimit)
	defer cancel()
	containers := strings.Fields(p.output("ps", "--quiet"))
	arguments := append([]string{"inspect", "--format", `{{.Name}} {{if .State.Health}}{{.State.Health.Status}}{{else}}{{.State.Status}} {{.State.ExitCode}}{{end}}`}, containers...)
	p.await(ctx, func() error {
		output, err := exec.CommandContext(ctx, "docker", arguments...).Output()
		if err != nil {
			return err
		}
		var unwell []string
		for line := range strings.Lines(string(output)) {
			// Those that prepare the database have ended well.
			if line = strings.TrimSpace(line); !strings.HasSuffix(line, " healthy") && !strings.HasSuffix(line, " exited 0") {
				unwell = append(unwell, line)
			}
		}
		if len(unwell) > 0 {
			return fmt.Errorf("not well: %s", strings.Join(unwell, ", "))
		}
		return nil
	})
}

// await repeats a check until it holds; the end of ctx fails the test.
func (p *project) await(ctx context.Context, check func() error) {
	p.Helper()
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			p.Fatalf("still not so: %v", err)
		case <-tick.C:
		}
	}
}

// published is the address on this machine of a container's port.
func (p *project) published(service, port string) string {
	p.Helper()
	return p.output("port", service, port)
}

// freeAddress returns an address of this machine that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// setting is what a file of settings says.
func setting(t *testing.T, path, name string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if value, is := strings.CutPrefix(line, name+"="); is {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("%s does not say %s", path, name)
	return ""
}
