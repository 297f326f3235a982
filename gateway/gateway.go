// Package gateway is the HTTP edge of the Integration Gateway.
//
// It turns each HTTP call of the catalogue into one request on the message bus
// and the reply into the response. What an operation takes and gives it knows
// from the contracts alone: there is no code here for any single operation,
// and neither a database nor a browser in the build.
//
// A request passes these layers, each in its own file:
//
//	edge.go    Command-Id, panics, log and metrics; for every response
//	auth.go    who calls, and for which linked account; before the body is read
//	key.go     which command it is, where the caller names it with a key
//	decode.go  one unambiguous form of path, query and body
//	huma       decoding and validation, as the contract's struct tags say
//	bus        the request to the operation's service, and its answer
//
// Clients of sessions are another matter: sessions.go carries what they say to
// the process that holds their browser, and back.
package gateway

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/pkg/bus"
)

// Deps are the parts that a Server works with. The caller keeps owning them.
type Deps struct {
	Bus     *nats.Conn
	Log     *slog.Logger
	Metrics prometheus.Gatherer // served at /metrics besides the gateway's own; nil for none
}

// Server is one gateway. Make it with New and serve with Run.
type Server struct {
	cfg      Config
	bus      *nats.Conn
	log      *slog.Logger
	metrics  *metrics
	admin    [sha256.Size]byte // hash of the admin token
	owners   *owners
	sessions *sessionProxy
	longest  time.Duration // from the tokens to the answer, for the slowest operation
	handler  http.Handler
	listener net.Listener // set by Listen
	ready    atomic.Bool  // false before Run and while draining
}

// New prepares a gateway for the whole catalogue. It opens no port yet.
func New(cfg Config, deps Deps) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	if deps.Bus == nil || deps.Log == nil {
		return nil, errors.New("gateway: Deps are incomplete")
	}
	s := &Server{
		cfg:     cfg,
		bus:     deps.Bus,
		log:     deps.Log,
		metrics: newMetrics(deps.Metrics),
		admin:   sha256.Sum256([]byte(cfg.AdminToken)),
		owners:  newOwners(),
	}
	s.sessions = newSessionProxy(cfg, deps, s.metrics)
	mux := http.NewServeMux()
	if err := s.mount(mux); err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	s.handler = s.edge(mux)
	return s, nil
}

// Handler returns all routes with everything around them, for a server other
// than Run's. It never says that it is ready.
func (s *Server) Handler() http.Handler { return s.handler }

// mount adds every route.
func (s *Server) mount(mux *http.ServeMux) error {
	api := catalog.NewAPI(humago.NewAdapter(mux, ""))
	api.OpenAPI().OnAddOperation = append(api.OpenAPI().OnAddOperation, leaveBodyToUs)
	api.UseMiddleware(s.admit)
	for _, entry := range append(catalog.All(), catalog.Admin()...) {
		entry.Mount(api, s.call)
		s.longest = max(s.longest, accounts.Authorize.Info().Timeout+bus.ReplyMargin+entry.Info().Timeout+bus.ReplyMargin)
	}
	if err := mountDocument(mux); err != nil {
		return err
	}
	mountDocs(mux)
	s.sessions.mount(mux)
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { refuse(w, r, noRoute()) })
	return nil
}

// leaveBodyToUs turns off huma's own limits of a body: normalize has set them
// already, from Config, and huma's read deadline would outlive the body.
func leaveBodyToUs(_ *huma.OpenAPI, op *huma.Operation) {
	op.MaxBodyBytes = -1
	op.BodyReadTimeout = -1
}

// admit is what stands between a route and huma's decoding: it identifies the
// caller and the command, then brings the request into one form.
func (s *Server) admit(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	op, ok := contracts.OperationOf(ctx.Operation())
	if !ok || r.Method != op.Method { // ServeMux lets HEAD through to GET
		refuse(w, r, noRoute())
		return
	}
	x := exchangeFrom(r.Context())
	x.op, x.operation = op, op.ID()
	identity, err := s.identify(r, op)
	if err != nil {
		s.nameAnyway(x, r)
		refuse(w, r, err)
		return
	}
	identity.CommandID, err = nameCommand(r, op, identity)
	if err != nil {
		x.keyed = false // it has none that could be used
		refuse(w, r, err)
		return
	}
	identity.DuplicateRisk, err = acceptedRisk(r, op)
	if err != nil {
		refuse(w, r, err)
		return
	}
	x.name(identity.CommandID)
	normal, err := s.normalize(w, r, ctx.Operation())
	if err != nil {
		refuse(w, r, err)
		return
	}
	normal = normal.WithContext(bus.WithIdentity(r.Context(), identity))
	next(humago.NewContext(ctx.Operation(), normal, w))
}

// call sends a decoded request to its service.
func (s *Server) call(ctx context.Context, op contracts.Info, req, res any) error {
	x := exchangeFrom(ctx)
	x.sent = true
	if err := bus.Call(ctx, s.bus, op, req, res); err != nil {
		return err
	}
	x.header.Set(contracts.OutcomeHeader, string(contracts.OutcomeOfResult(res)))
	return nil
}
