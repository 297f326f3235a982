package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"integration.gateway/contracts"
)

// exchange is what is known of one request and its response. The edge makes
// it, the layers below add to it, and the log and the metrics read it.
type exchange struct {
	commandID string
	operation string           // ID of the operation; empty for other routes
	op        contracts.Info   // that operation; zero for other routes
	keyed     bool             // the request has an Idempotency-Key
	sent      bool             // the request went to the operation's service
	header    http.Header      // of the response
	failure   *contracts.Error // what the caller was told, with its cause
}

// name tells the caller which command its request is.
func (x *exchange) name(commandID string) {
	x.commandID = commandID
	x.header.Set(contracts.CommandIDHeader, commandID)
}

type exchangeKey struct{}

// exchangeFrom returns the exchange of a request that came through the edge.
func exchangeFrom(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{header: http.Header{}}
}

// edge is the outermost handler. It gives every response its Command-Id, unless
// that is for the request's key to tell, bounds the time that a body may take, turns a panic into a 500, and logs
// and counts how the request ended.
func (s *Server) edge(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		x := &exchange{commandID: uuid.Must(uuid.NewV7()).String(), keyed: hasKey(r), header: w.Header()}
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		response := &recorder{ResponseWriter: w}
		if !x.keyed {
			x.name(x.commandID)
		}
		if r.ContentLength != 0 {
			// Whoever reads or throws away the body, it ends. Not every
			// ResponseWriter of a test knows deadlines, which is no harm.
			_ = http.NewResponseController(w).SetReadDeadline(begin.Add(s.cfg.BodyTimeout))
		}

		s.metrics.inFlight.Inc()
		defer s.metrics.inFlight.Dec()
		defer s.report(r, x, response, begin)
		defer recoverPanic(response, r, x)
		if !clean(r) {
			refuse(response, r, noRoute())
			return
		}
		next.ServeHTTP(response, r)
	})
}

// clean reports whether the request's path is in its one normal form. All
// others are unknown here; net/http would redirect some of them, and a path
// parameter of ".." could lead a URL at the site astray.
func clean(r *http.Request) bool {
	for _, p := range []string{r.URL.Path, r.URL.EscapedPath()} {
		if p == "" || p[0] != '/' {
			return false
		}
		if c := path.Clean(p); c != p && c+"/" != p {
			return false
		}
	}
	return true
}

// recoverPanic answers 500 after a panic. When part of a response is on its
// way already, the connection is cut, so that the caller sees that it is not whole.
func recoverPanic(w *recorder, r *http.Request, x *exchange) {
	value := recover()
	if value == nil {
		return
	}
	x.failure = contracts.AsError(&panicError{value: value, stack: debug.Stack()})
	if cause, ok := value.(error); w.status != 0 || ok && errors.Is(cause, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	refuse(w, r, x.failure)
}

// panicError is a panic with the place where it happened.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

// report logs and counts a finished request. It names the operation, not the
// path, since a path can hold personal data.
func (s *Server) report(r *http.Request, x *exchange, w *recorder, begin time.Time) {
	duration := time.Since(begin)
	s.metrics.observe(x.operation, w.status, duration)
	log := s.log.With("command", x.commandID, "operation", x.operation, "status", w.status, "duration", duration)
	switch {
	case x.failure == nil:
		log.Debug("request answered")
	case r.Context().Err() != nil:
		log.Info("request given up by its caller", "kind", x.failure.Kind)
	case w.status < http.StatusInternalServerError:
		// The message of a refusal can quote the request.
		log.Info("request refused", "kind", x.failure.Kind)
	case x.failure.Quotes:
		log.Error("request failed", "kind", x.failure.Kind)
	default:
		log.Error("request failed", "kind", x.failure.Kind, "message", x.failure.Message, "cause", x.failure.Err)
	}
}

// recorder notes the status of the response that passes through it.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status and passes it on.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write passes the body on; without a WriteHeader before, the status is 200.
func (w *recorder) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(data)
}

// Hijack notes the status of an answer that gives its connection away.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil && w.status == 0 {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, buffered, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
