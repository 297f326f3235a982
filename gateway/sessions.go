package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/holder"
)

// The limits of what a gateway carries for a session.
const (
	holderDialLimit   = 5 * time.Second                                                       // to reach the process that holds the browser
	holderAnswerLimit = sessions.AskTimeout + 5*time.Second                                   // for the head of its answer; it may stop a browser before
	plainLimit        = holderAnswerLimit + 15*time.Second                                    // for an exchange that is no WebSocket
	stallLimit        = 30 * time.Second                                                      // for one write to a side that does not read
	silenceLimit      = 2 * time.Minute                                                       // of the holder, which pings its clients more often
	endLimit          = 5 * time.Second                                                       // for what is carried to end, once it is told to
	sessionRetry      = 5 * time.Second                                                       // after which a client may try again
	maxHolderHead     = 64 << 10                                                              // of an answer's head, in bytes
	plainCharacters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/" // of a path
)

var errNoSession = contracts.Errorf(contracts.NotFound, "there is no such session: it has ended, or its address is not whole")

// sessionProxy carries the clients of sessions to the processes that hold the
// sessions' browsers. It looks at no ticket: the holder does.
type sessionProxy struct {
	bus       *nats.Conn
	log       *slog.Logger
	metrics   *metrics
	maxBody   int64
	transport *http.Transport
	stall     time.Duration // see stallLimit
	carried   chan struct{} // one for each exchange that is carried; its capacity is the most
	ending    context.Context
	end       context.CancelFunc // ends what is carried over WebSockets, and takes no more
}

func newSessionProxy(cfg Config, deps Deps, m *metrics) *sessionProxy {
	p := &sessionProxy{
		bus: deps.Bus, log: deps.Log, metrics: m, maxBody: cfg.MaxBodyBytes, stall: stallLimit,
		carried: make(chan struct{}, cfg.SessionConnections),
	}
	p.ending, p.end = context.WithCancel(context.Background())
	p.transport = p.newTransport(silenceLimit)
	return p
}

// newTransport reaches holders, and no proxy of the environment. A connection
// serves one exchange, so that none is met that its holder has just closed.
func (p *sessionProxy) newTransport(silence time.Duration) *http.Transport {
	dialer := &net.Dialer{
		Timeout:         holderDialLimit,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &boundedConn{Conn: conn, r: conn, stall: p.stall, silence: silence}, nil
		},
		TLSHandshakeTimeout:    holderDialLimit,
		ResponseHeaderTimeout:  holderAnswerLimit,
		MaxResponseHeaderBytes: maxHolderHead,
		DisableKeepAlives:      true,
		DisableCompression:     true,
	}
}

// mount adds the routes. They are those of contracts/sessions and no others.
func (p *sessionProxy) mount(mux *http.ServeMux) {
	path := sessions.Path("{id}")
	for _, route := range []struct{ name, pattern string }{
		{"sessions-browser", "GET " + path + sessions.BrowserPath + "{ticket}"},
		{"sessions-live", "GET " + path + sessions.LivePath},
		{"sessions-live", "GET " + path + sessions.LivePath + "/{asset...}"},
		{"sessions-status", "GET " + path + sessions.StatusPath},
		{"sessions-view", "POST " + path + sessions.ViewPath},
		{"sessions-stop", "POST " + path + sessions.StopPath},
	} {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) {
			exchangeFrom(r.Context()).operation = route.name // for log and metrics, which must not have the path
			p.carry(w, r, route.name)
		})
	}
}

// carry finds the holder of a request's session and carries the request there.
func (p *sessionProxy) carry(w http.ResponseWriter, r *http.Request, route string) {
	if strings.Trim(r.URL.EscapedPath(), plainCharacters) != "" {
		refuse(w, r, errNoSession)
		return
	}
	base, err := holder.Find(r.Context(), p.bus, r.PathValue("id"))
	if errors.Is(err, holder.ErrNone) {
		refuse(w, r, errNoSession)
		return
	}
	if err != nil {
		unavailable(w, r, "it cannot be told now where the session is; try again", err)
		return
	}
	select {
	case p.carried <- struct{}{}:
		defer func() { <-p.carried }()
	default:
		unavailable(w, r, fmt.Sprintf("this gateway carries as many connections of sessions as it may, which is %d; try again", cap(p.carried)), nil)
		return
	}
	if p.ending.Err() != nil {
		unavailable(w, r, "this gateway is about to stop; connect again", nil)
		return
	}
	if r.ContentLength != 0 {
		r.Body = http.MaxBytesReader(w, r.Body, p.maxBody)
	}
	p.metrics.carried.Inc()
	defer p.metrics.carried.Dec()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	timer := time.AfterFunc(plainLimit, cancel)
	defer timer.Stop()
	client := &sessionClient{ResponseWriter: w, proxy: p, ctx: ctx, switched: func() {
		timer.Stop()
		context.AfterFunc(p.ending, cancel)
	}}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(out *httputil.ProxyRequest) { rewrite(out, base, route) },
		Transport:      p.transport,
		ModifyResponse: checkAnswer,
		ErrorHandler:   client.fail,
		ErrorLog:       slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	proxy.ServeHTTP(client, r.WithContext(ctx))
}

// rewrite addresses a request to a holder. The host stays that of the gateway,
// which the holder compares with the Origin of browsers. Of what tells who is
// asking, nothing is passed on but a ticket to where one is needed.
func rewrite(r *httputil.ProxyRequest, base *url.URL, route string) {
	r.Out.URL.Scheme, r.Out.URL.Host = base.Scheme, base.Host
	r.Out.URL.Path = strings.TrimSuffix(base.Path, "/") + r.In.URL.Path
	r.Out.Header.Del("Cookie")
	r.Out.Header.Del(contracts.AccountTokenHeader)
	token, err := bearer(r.In.Header.Values("Authorization"))
	takesTicket := route != "sessions-browser" && route != "sessions-live"
	if !takesTicket || err != nil || !strings.HasPrefix(token, sessions.TicketPrefix) {
		r.Out.Header.Del("Authorization")
	}
	if route != "sessions-browser" { // which alone becomes a WebSocket
		r.Out.Header.Del("Connection")
		r.Out.Header.Del("Upgrade")
	}
}

// checkAnswer has a holder's 404 told in the words of all others, so that a
// wrong ticket and an unknown session look the same.
func checkAnswer(res *http.Response) error {
	if res.StatusCode == http.StatusNotFound {
		return errNoSession
	}
	return nil
}

// unavailable answers 503. The statuses of /v1 do not hold here: what tries
// again by itself, such as a browser or a WebSocket client, knows 503.
func unavailable(w http.ResponseWriter, r *http.Request, message string, cause error) {
	exchangeFrom(r.Context()).failure = &contracts.Error{Kind: contracts.Unavailable, Message: message, RetryAfter: sessionRetry, Err: cause}
	data, err := json.Marshal(contracts.NewErrorBody(http.StatusServiceUnavailable, message))
	if err != nil { // cannot be: it is a struct of one string
		panic(err)
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(sessionRetry.Seconds()))))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(append(data, '\n')) // a client that is gone needs no answer
}

// close ends what is carried, and waits for the end of it, for a while.
func (p *sessionProxy) close() {
	p.end()
	timer := time.NewTimer(endLimit)
	defer timer.Stop()
	for range cap(p.carried) {
		select {
		case p.carried <- struct{}{}:
		case <-timer.C:
			p.log.Error("a session's connection does not end")
			return
		}
	}
}

// sessionClient is where a holder's answer goes.
type sessionClient struct {
	http.ResponseWriter
	proxy    *sessionProxy
	ctx      context.Context //nolint:containedctx // of this one exchange
	switched func()          // called when the exchange becomes a WebSocket
}

// Unwrap lets http.ResponseController reach the connection.
func (c *sessionClient) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Hijack gives the connection away once the holder has agreed to a WebSocket.
// It ends with the exchange's context, whatever is being written then.
func (c *sessionClient) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(c.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	c.switched()
	context.AfterFunc(c.ctx, func() { _ = conn.Close() })
	return &boundedConn{Conn: conn, r: buffered.Reader, stall: c.proxy.stall}, buffered, nil
}

// fail answers a request that could not be carried to its end.
func (c *sessionClient) fail(w http.ResponseWriter, r *http.Request, err error) {
	var e *contracts.Error
	switch edge, ok := c.ResponseWriter.(*recorder); {
	case ok && edge.status != 0:
		exchangeFrom(r.Context()).failure = contracts.AsError(err) // the answer has begun
	case errors.As(err, &e):
		refuse(w, r, e)
	default:
		unavailable(w, r, "the session cannot be reached now; try again", err)
	}
}
