package service_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
)

const readyLimit = 30 * time.Second

// living is a process's host while the process lives.
type living struct {
	*testing.T
	readyz string
	stop   func()
	ended  chan error
}

// live opens a host on a database with an event log and a bus, and has serve start its service.
func live(t *testing.T, databaseURL, natsURL string, serve func(context.Context, *service.Host) error) *living {
	t.Helper()
	openLog(t, databaseURL)
	cfg, err := settings.FromMap[service.Config](map[string]string{
		"DATABASE_URL": databaseURL, "NATS_URL": natsURL, "VAULT_KEEPER_URL": keeperURL, "METRICS_ADDR": "127.0.0.1:0",
	})
	if err != nil {
		t.Fatal(err)
	}
	metrics := make(chan string, 1)
	listen := func(_ []string, a slog.Attr) slog.Attr {
		if url := a.Value.String(); a.Key == "address" && strings.HasSuffix(url, "/metrics") {
			metrics <- url
		}
		return a
	}
	handler := slog.NewTextHandler(io.Discard, &slog.HandlerOptions{ReplaceAttr: listen}) //nolint:sloglint // it discards all but what listen hears
	host, err := service.OpenHost(t.Context(), cfg, slog.New(handler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	l := &living{T: t, readyz: strings.TrimSuffix(<-metrics, "/metrics") + "/readyz", stop: stop, ended: make(chan error, 1)}
	go func() { l.ended <- service.Live(host, ctx, serve) }()
	return l
}

// openLog lets the event log take events, as a keeper does once the server has started.
func openLog(t *testing.T, databaseURL string) {
	t.Helper()
	if err := eventlogtest.Migrate(t.Context(), databaseURL); err != nil {
		t.Fatal(err)
	}
}

// await waits until the process says of its readiness what is wanted.
func (l *living) await(status int, words string) {
	l.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(readyLimit); ; <-tick.C {
		answer, err := client.Get(l.readyz)
		if err != nil {
			l.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode == status && strings.Contains(string(text), words) {
			return
		}
		if time.Now().After(deadline) {
			l.Fatalf("it says %s: %s, want %d: %s", answer.Status, text, status, words)
		}
	}
}

func TestReadyWhileTheBusAndTheDatabaseAreThere(t *testing.T) {
	t.Parallel()
	nothing := func(context.Context, *service.Host) error { return nil }
	for name, c := range map[string]struct {
		start func(t *testing.T) (l *living, kill, again func())
		words string
	}{
		"NATS": {
			start: func(t *testing.T) (*living, func(), func()) {
				t.Helper()
				nats := testenv.OwnNATS(t)
				return live(t, testenv.DatabaseURL(t), nats.URL, nothing), nats.Kill, nats.Start
			},
			words: "message bus",
		},
		"Postgres": {
			start: func(t *testing.T) (*living, func(), func()) {
				t.Helper()
				postgres := testenv.OwnPostgres(t)
				l := live(t, postgres.URL, testenv.NATSURL(t), nothing)
				return l, postgres.Kill, func() {
					postgres.Start()
					l.await(http.StatusServiceUnavailable, "the event log is closed")
					openLog(t, postgres.URL)
				}
			},
			words: "database of the event log",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, kill, again := c.start(t)
			l.await(http.StatusOK, "ok")
			kill()
			l.await(http.StatusServiceUnavailable, c.words)
			again()
			l.await(http.StatusOK, "ok")
			l.stop()
			if err := <-l.ended; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestReadyWhileWhatTheServiceNeedsIsThere(t *testing.T) {
	t.Parallel()
	var ink atomic.Bool
	l := live(t, testenv.DatabaseURL(t), testenv.NATSURL(t), func(_ context.Context, host *service.Host) error {
		host.ReadyWhile(ink.Load, "out of ink")
		return nil
	})
	l.await(http.StatusServiceUnavailable, "out of ink")
	ink.Store(true)
	l.await(http.StatusOK, "ok")
	l.stop()
	if err := <-l.ended; err != nil {
		t.Error(err)
	}
}

func TestNotReadyWhileItDrains(t *testing.T) {
	t.Parallel()
	outOfInk := errors.New("out of ink")
	for name, c := range map[string]struct {
		end  func(l *living, fail chan<- error)
		want error
	}{
		"told to stop":              {end: func(l *living, _ chan<- error) { l.stop() }},
		"something vital has ended": {end: func(_ *living, fail chan<- error) { fail <- outOfInk }, want: outOfInk},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, begun, release, fail := testenv.NATSURL(t), make(chan struct{}), make(chan struct{}), make(chan error)
			l := live(t, testenv.DatabaseURL(t), url, func(_ context.Context, host *service.Host) error {
				host.GoVital("the printer", func(ctx context.Context) error {
					select {
					case err := <-fail:
						return err
					case <-ctx.Done():
						return ctx.Err()
					}
				})
				return host.Start(bus.Config{Name: first.Integration}, func(srv *bus.Server) {
					bus.Handle(srv, first, func(context.Context, *struct{}) (*struct{}, error) {
						close(begun)
						<-release
						return &struct{}{}, nil
					})
				})
			})
			l.await(http.StatusOK, "ok")
			answered := make(chan error, 1)
			go func() { answered <- callOnce(t, url, first.Info()) }()
			<-begun
			c.end(l, fail)
			l.await(http.StatusServiceUnavailable, "draining")
			close(release)
			if err := <-answered; err != nil {
				t.Errorf("what was under way: %v", err)
			}
			if err := <-l.ended; !errors.Is(err, c.want) {
				t.Errorf("it ended with %v, want %v", err, c.want)
			}
			l.stop()
		})
	}
}

// callOnce calls an operation from a connection of its own.
func callOnce(t *testing.T, url string, op contracts.Info) error {
	t.Helper()
	client, err := bus.Connect(url, t.Name(), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer client.Close()
	return bus.Call(t.Context(), client, op, struct{}{}, &struct{}{})
}
