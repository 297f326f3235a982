package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/gateway"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const (
	adminToken   = "admin-token-of-the-tests"
	accessToken  = "igw_at_access"
	accountToken = "igw_ac_account"
	patience     = 20 * time.Second // bounds what must happen, however busy the machine is
)

// edge is a running gateway.
type edge struct {
	url    string
	server *gateway.Server
	bus    *nats.Conn // for stand-in services; not the gateway's own connection
	log    *lines
	stop   func() error // drains the gateway; only the first call returns Run's error
}

// start runs a gateway on a free port until the test ends, with a stand-in
// accounts service. The settings come on top of the defaults.
func start(t testing.TB, variables map[string]string) *edge {
	t.Helper()
	e := startBare(t, variables)
	serveAuthorize(t, e.bus)
	return e
}

// startBare runs a gateway with no service behind it.
func startBare(t testing.TB, variables map[string]string) *edge {
	t.Helper()
	e := &edge{log: &lines{}}
	url := testenv.NATSURL(t)
	e.bus = connect(t, url)

	server, err := gateway.New(config(t, variables), gateway.Deps{Bus: connect(t, url), Log: slog.New(slog.NewTextHandler(e.log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.server, e.url = server, "http://"+server.Addr()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx); close(ended) }()
	e.stop = func() error { cancel(); return <-ended }
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := e.stop(); err != nil {
			t.Errorf("gateway ended with %v", err)
		}
	})
	return e
}

func config(t testing.TB, variables map[string]string) gateway.Config {
	t.Helper()
	all := map[string]string{"GATEWAY_ADDR": "127.0.0.1:0", "ADMIN_TOKEN": adminToken}
	for name, value := range variables {
		all[name] = value
	}
	cfg, err := settings.FromMap[gateway.Config](all)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := bus.Connect(url, t.Name(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// serve binds an operation to a method, as its service would.
func serve[Req, Res any](t testing.TB, nc *nats.Conn, op contracts.Operation[Req, Res], method func(context.Context, *Req) (*Res, error)) {
	t.Helper()
	srv := bus.NewServer(bus.Config{
		Name: op.Integration, Version: "0.0.1", Workers: 8, Queue: 8, Logger: slog.New(slog.DiscardHandler),
	})
	bus.Handle(srv, op, method)
	if err := srv.Start(nc); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := srv.Drain(ctx); err != nil {
			t.Error(err)
		}
	})
}

// serveAuthorize knows one caller with one account, at every integration.
func serveAuthorize(t testing.TB, nc *nats.Conn) {
	t.Helper()
	serve(t, nc, accounts.Authorize, func(_ context.Context, req *accounts.AuthorizeRequest) (*accounts.Authorization, error) {
		switch {
		case req.AccessTokenHash != accounts.HashToken(accessToken):
			return nil, contracts.Errorf(contracts.Unauthorized, "access token is not valid")
		case req.AccountTokenHash == "" && req.CallerAlone:
			return &accounts.Authorization{CallerID: "caller-1"}, nil
		case req.AccountTokenHash == "" && !req.SoleAccount:
			return nil, contracts.Errorf(contracts.Invalid, "X-Account-Token is missing")
		case req.AccountTokenHash != "" && req.AccountTokenHash != accounts.HashToken(accountToken):
			return nil, contracts.Errorf(contracts.Unauthorized, "account token is not valid")
		}
		return &accounts.Authorization{CallerID: "caller-1", AccountID: "account-1"}, nil
	})
}

// standIn answers every operation of the catalogue with the example result of
// its contract, and keeps what it was sent.
type standIn struct {
	nc   *nats.Conn
	mu   sync.Mutex
	msgs []*nats.Msg
}

func serveEverything(t testing.TB, nc *nats.Conn) *standIn {
	t.Helper()
	s := &standIn{nc: nc}
	for _, entry := range everything() {
		_, res := entry.New()
		contracts.FillExample(res)
		answer, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		_, err = nc.Subscribe(entry.Info().Subject(), func(msg *nats.Msg) {
			s.mu.Lock()
			s.msgs = append(s.msgs, msg)
			s.mu.Unlock()
			if err := msg.Respond(answer); err != nil {
				t.Error(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return s
}

// take returns what was sent since the last time.
func (s *standIn) take(t testing.TB) []*nats.Msg {
	t.Helper()
	if err := s.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	msgs := s.msgs
	s.msgs = nil
	return msgs
}

func everything() []contracts.Entry { return append(catalog.All(), catalog.Admin()...) }

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// request makes a request with valid tokens.
func (e *edge) request(t testing.TB, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, e.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+accessToken)
	r.Header.Set("X-Account-Token", accountToken)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// send sends a request and checks what holds for every response.
func send(t testing.TB, r *http.Request) answer {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	version, command := uuid.Version(7), res.Header.Get("Command-Id")
	keyed := r.Method != http.MethodGet && len(r.Header["Idempotency-Key"]) > 0
	if keyed {
		version = 8
	}
	if id, err := uuid.Parse(command); (err != nil || id.Version() != version) && (command != "" || !keyed || res.StatusCode == http.StatusOK) {
		t.Errorf("Command-Id is %q, which is no UUID of version %d", command, version)
	}
	outcomes := []string{"not-begun", "nothing-done", "done", "unknown"}
	if got := res.Header.Get("Command-Outcome"); strings.HasPrefix(r.URL.Path, "/v1/") && !slices.Contains(outcomes, got) {
		t.Errorf("Command-Outcome is %q", got)
	}
	return answer{Response: res, body: string(data)}
}

// wantError checks an error answer: its status and its body, which is of the
// one form. It returns the message.
func (a answer) wantError(t testing.TB, status int) string {
	t.Helper()
	if a.StatusCode != status {
		t.Errorf("status %d, want %d: %s", a.StatusCode, status, a.body)
	}
	if got := a.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
	return errorMessage(t, a.body)
}

func errorMessage(t testing.TB, body string) string {
	t.Helper()
	var fields map[string]string
	if err := json.Unmarshal([]byte(body), &fields); err != nil || len(fields) != 1 || fields["error"] == "" {
		t.Errorf("body is not {\"error\": …}: %s", body)
	}
	return fields["error"]
}

// lines is a log that tests read while it is written.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// take returns what was written since the last time.
func (l *lines) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.buf.Reset()
	return l.buf.String()
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
