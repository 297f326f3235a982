package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"integration.gateway/pkg/testenv"
)

// asGateway makes the test binary be the gateway, so that it runs as a process.
const asGateway = "TEST_AS_GATEWAY"

func TestMain(m *testing.M) {
	if os.Getenv(asGateway) != "" {
		main()
		return
	}
	testenv.Main(m)
}

func gatewayProcess(t *testing.T, settings ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), append([]string{asGateway + "=1", "ADMIN_TOKEN=admin-token-of-the-tests"}, settings...)...)
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	return cmd, stderr
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestItServesUntilSIGTERM(t *testing.T) {
	t.Parallel()
	addr := freeAddress(t)
	cmd, stderr := gatewayProcess(t, "GATEWAY_ADDR="+addr, "NATS_URL="+testenv.NATSURL(t))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ready := false
	for end := time.Now().Add(20 * time.Second); !ready && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if res, err := client.Get("http://" + addr + "/readyz"); err == nil {
			ready = res.StatusCode == http.StatusOK
			res.Body.Close()
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !ready {
		t.Errorf("ready: %v; it ended with %v: %s", ready, err, stderr)
	}
}

func TestWhatKeepsItFromStartingIsSaidInOneLine(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	natsURL := testenv.NATSURL(t)
	for name, c := range map[string]struct {
		settings []string
		says     string
	}{
		"port in use":    {[]string{"NATS_URL=" + natsURL, "GATEWAY_ADDR=" + taken.Addr().String()}, "GATEWAY_ADDR"},
		"no admin token": {[]string{"NATS_URL=" + natsURL, "ADMIN_TOKEN="}, "ADMIN_TOKEN"},
		"no bus":         {[]string{"NATS_URL=nats://" + freeAddress(t)}, "NATS_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, stderr := gatewayProcess(t, c.settings...)
			if err := cmd.Run(); err == nil {
				t.Error("it ended without an error")
			}
			if text := strings.TrimSpace(stderr.String()); !strings.Contains(text, c.says) || strings.Contains(text, "\n") {
				t.Errorf("it said %q", text)
			}
		})
	}
}
