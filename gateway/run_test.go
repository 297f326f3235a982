package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/contracts/marketplaceseller"
	"integration.gateway/gateway"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
)

// held is a search service whose one request stays under way until released.
type held struct {
	began   chan context.Context
	release chan struct{}
}

func holdSearch(t *testing.T, e *edge) held {
	t.Helper()
	h := held{began: make(chan context.Context, 1), release: make(chan struct{})}
	serve(t, e.bus, marketplace.Search, func(ctx context.Context, _ *marketplace.SearchRequest) (*marketplace.SearchResults, error) {
		h.began <- ctx
		<-h.release
		return &marketplace.SearchResults{Items: []marketplace.Item{}}, nil
	})
	return h
}

// inBackground sends a request while the test goes on.
func inBackground(r *http.Request) <-chan error {
	done := make(chan error, 1)
	go func() {
		res, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			err = errors.Join(err, res.Body.Close())
			if res.StatusCode != http.StatusOK {
				err = errors.Join(err, fmt.Errorf("status %d", res.StatusCode))
			}
		}
		done <- err
	}()
	return done
}

func TestDrainFinishesWhatIsUnderWayAndTakesNoMore(t *testing.T) {
	t.Parallel()
	e := start(t, map[string]string{"GATEWAY_DRAIN_DELAY": "300ms"})
	h := holdSearch(t, e)
	result := inBackground(e.request(t, http.MethodGet, searchPath, ""))
	<-h.began

	stopped := make(chan error, 1)
	go func() { stopped <- e.stop() }()
	// First it says that it is not ready, and still answers.
	eventually(t, func() bool {
		res, err := http.Get(e.url + "/readyz")
		if err != nil {
			t.Fatalf("not reached while /readyz should say no: %v", err)
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusServiceUnavailable
	})
	// Then it takes no more connections.
	eventually(t, func() bool {
		conn, err := net.Dial("tcp", e.server.Addr())
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	select {
	case err := <-stopped:
		t.Fatalf("it ended with a request under way: %v", err)
	default:
	}
	close(h.release)
	if err := <-result; err != nil {
		t.Errorf("the request under way: %v", err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestDrainCutsOffWhatOutlastsItsTimeout(t *testing.T) {
	t.Parallel()
	e := start(t, map[string]string{"GATEWAY_DRAIN_TIMEOUT": "50ms"})
	h := holdSearch(t, e)
	defer close(h.release)
	result := inBackground(e.request(t, http.MethodGet, searchPath, ""))
	<-h.began
	err := e.stop()
	if err == nil || !strings.Contains(err.Error(), "drain timeout") {
		t.Errorf("Run returned %v", err)
	}
	if err := <-result; err == nil {
		t.Error("the request was answered")
	}
}

func TestACallerThatHangsUpCancelsAReadAndNotAWrite(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	began, end := make(chan context.Context), make(chan struct{})
	serve(t, e.bus, marketplace.Search, func(ctx context.Context, _ *marketplace.SearchRequest) (*marketplace.SearchResults, error) {
		began <- ctx
		<-ctx.Done()
		return nil, ctx.Err()
	})
	serve(t, e.bus, marketplace.BuyNow, func(ctx context.Context, _ *marketplace.BuyNowRequest) (*marketplace.Order, error) {
		began <- ctx
		<-end
		return &marketplace.Order{}, nil
	})
	gone, err := e.bus.SubscribeSync("gone.marketplace")
	if err != nil {
		t.Fatal(err)
	}
	// hangUp sends a request, hangs up once it is under way, and returns its
	// context at the service when the service was told.
	hangUp := func(r *http.Request) context.Context {
		ctx, cancel := context.WithCancel(t.Context())
		result := inBackground(r.WithContext(ctx))
		atService := <-began
		cancel()
		if err := <-result; err == nil {
			t.Error("the request was answered")
		}
		if _, err := gone.NextMsg(patience); err != nil {
			t.Errorf("the service was not told: %v", err)
		}
		eventually(t, func() bool { return strings.Contains(e.log.take(), "given up by its caller") })
		return atService
	}
	write := hangUp(e.request(t, http.MethodPost, buyPath, buyBody))
	read := hangUp(e.request(t, http.MethodGet, searchPath, ""))
	select {
	case <-read.Done():
	case <-time.After(patience):
		t.Error("the read goes on")
	}
	if err := write.Err(); err != nil {
		t.Errorf("the write was cancelled: %v", err)
	}
	close(end)
}

// net/http reads on while a request is under way, to notice a hang-up; a
// deadline that was meant for the body must not end the request then. Nor
// must huma's own of 5 s, which it sets where a body is decoded.
func TestARequestMayTakeLongerThanItsBody(t *testing.T) {
	t.Parallel()
	e := start(t, map[string]string{"GATEWAY_BODY_TIMEOUT": "100ms"})
	serve(t, e.bus, marketplace.BuyNow, func(ctx context.Context, _ *marketplace.BuyNowRequest) (*marketplace.Order, error) {
		return &marketplace.Order{}, pause(ctx, 5500*time.Millisecond)
	})
	serve(t, e.bus, marketplaceseller.CreateSession, func(ctx context.Context, _ *contracts.CreateSessionRequest) (*contracts.Session, error) {
		return &contracts.Session{}, pause(ctx, 500*time.Millisecond)
	})
	for path, body := range map[string]string{buyPath: buyBody, "/v1/marketplace-seller/session": "{}"} {
		t.Run(path, func(t *testing.T) {
			if a := send(t, e.request(t, http.MethodPost, path, body)); a.StatusCode != http.StatusOK {
				t.Errorf("status %d: %s", a.StatusCode, a.body)
			}
		})
	}
}

// pause is work that takes its time.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err()
}

func TestASlowHeadIsCutOff(t *testing.T) {
	t.Parallel()
	e := start(t, map[string]string{"GATEWAY_HEADER_TIMEOUT": "100ms"})
	conn := dial(t, e, "GET /v1/marketplace/items/search HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	if data, err := io.ReadAll(conn); err != nil || len(data) != 0 {
		t.Errorf("read %q, %v; want the end of the connection", data, err)
	}
}

func TestASlowBodyIsRefused(t *testing.T) {
	t.Parallel()
	e := start(t, map[string]string{"GATEWAY_BODY_TIMEOUT": "100ms"})
	services := serveEverything(t, e.bus)
	conn := dial(t, e, "POST "+buyPath+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"+
		"Authorization: Bearer "+accessToken+"\r\nX-Account-Token: "+accountToken+"\r\n\r\n{")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d, %v", res.StatusCode, err)
	}
	errorMessage(t, string(data))
	if len(services.take(t)) != 0 {
		t.Error("it was sent")
	}
}

func TestASlowBodyOfAStrangerIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	e := start(t, map[string]string{"GATEWAY_BODY_TIMEOUT": "100ms"})
	conn := dial(t, e, "POST "+buyPath+" HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	data, err := io.ReadAll(conn) // to the end of the connection
	if err != nil || !strings.HasPrefix(string(data), "HTTP/1.1 401 ") {
		t.Errorf("read %q, %v", data, err)
	}
}

// dial sends the beginning of a request and gives up waiting after a while.
func dial(t *testing.T, e *edge, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", e.server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestAPortInUseIsSaidInOneLine(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	deps := gateway.Deps{Bus: e.bus, Log: slog.New(slog.DiscardHandler)}
	second, err := gateway.New(config(t, map[string]string{"GATEWAY_ADDR": e.server.Addr()}), deps)
	if err != nil {
		t.Fatal(err)
	}
	err = second.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "GATEWAY_ADDR") || !strings.Contains(err.Error(), e.server.Addr()) || strings.Contains(err.Error(), "\n") {
		t.Errorf("Run returned %v", err)
	}
}

func TestReadyFollowsTheBusAndTheEventLog(t *testing.T) {
	t.Parallel()
	url := testenv.NATSURL(t)
	nc := connect(t, url)
	server, err := gateway.New(config(t, nil), gateway.Deps{Bus: nc, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	defer func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	status := func(path string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+server.Addr()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return send(t, r).StatusCode
	}
	eventually(t, func() bool { return status("/readyz") == http.StatusOK })
	var problem atomic.Pointer[string]
	problem.Store(new(string))
	serve(t, connect(t, url), audit.CheckLog, func(context.Context, *audit.CheckLogRequest) (*audit.LogHealth, error) {
		return &audit.LogHealth{Problem: *problem.Load()}, nil
	})
	for said, want := range map[string]int{"": http.StatusOK, "the event log is closed": http.StatusServiceUnavailable} {
		problem.Store(&said)
		if got := status("/readyz"); got != want {
			t.Errorf("/readyz while the audit service says %q: %d", said, got)
		}
	}
	nc.Close()
	if got := status("/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz without a bus: %d", got)
	}
	if got := status("/healthz"); got != http.StatusOK {
		t.Errorf("/healthz without a bus: %d", got)
	}
}

func TestBadSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for variable, value := range map[string]string{
		"GATEWAY_ADDR":                "8080",
		"ADMIN_TOKEN":                 "short",
		"GATEWAY_MAX_BODY_BYTES":      "0",
		"GATEWAY_HEADER_TIMEOUT":      "0s",
		"GATEWAY_BODY_TIMEOUT":        "-1s",
		"GATEWAY_IDLE_TIMEOUT":        "soon",
		"GATEWAY_SESSION_CONNECTIONS": "0",
		"GATEWAY_DRAIN_DELAY":         "-1s",
		"GATEWAY_DRAIN_TIMEOUT":       "0s",
	} {
		variables := map[string]string{"ADMIN_TOKEN": adminToken}
		variables[variable] = value
		_, err := settings.FromMap[gateway.Config](variables)
		if err == nil || !strings.Contains(err.Error(), variable) || strings.Contains(err.Error(), value+" ") {
			t.Errorf("%s=%s: %v", variable, value, err)
		}
	}
	if _, err := gateway.New(gateway.Config{}, gateway.Deps{}); err == nil {
		t.Error("New takes a Config without an admin token")
	}
	if _, err := gateway.New(config(t, nil), gateway.Deps{}); err == nil {
		t.Error("New takes no bus")
	}
}

func TestAGatewayDrainsForAsLongAsAnOperationMayTake(t *testing.T) {
	t.Parallel()
	longest := time.Duration(0)
	for _, entry := range everything() {
		longest = max(longest, entry.Info().Timeout)
	}
	longest += accounts.Authorize.Info().Timeout + 2*bus.ReplyMargin
	if got := config(t, nil).DrainTimeout; got < longest {
		t.Errorf("GATEWAY_DRAIN_TIMEOUT is %v, an operation may take %v", got, longest)
	}
}

// eventually waits until something holds that nothing announces.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); {
		if time.Now().After(end) {
			t.Fatal("it did not come to hold")
		}
		time.Sleep(2 * time.Millisecond)
	}
}
