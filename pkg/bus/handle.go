package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/go-kit/kit/endpoint"
	natstransport "github.com/go-kit/kit/transport/nats"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
)

// Handle binds an operation to the method that carries it out. The method's
// context ends at the command's deadline and carries its Identity. When the
// caller of a read hangs up, it ends too.
//
// Handle comes before Start. Around the method runs one chain for all operations: panics become faults,
// a request that is over already is not begun, and then comes the server's Config.Chain.
func Handle[Req, Res any](s *Server, op contracts.Operation[Req, Res], method func(context.Context, *Req) (*Res, error)) {
	info := op.Info()
	chain := endpoint.Chain(s.report(info), recoverPanics, s.beginInTime, s.chain(info), recoverPanics, tellGivenUp, s.fits(info))
	carryOut := chain(func(ctx context.Context, request any) (any, error) {
		req, ok := request.(*Req)
		if !ok {
			return nil, fmt.Errorf("the chain made a %T of the request of %s", request, info.ID())
		}
		return method(ctx, req)
	})
	s.bindings = append(s.bindings, binding{op: info, perform: func(ctx context.Context, msg *nats.Msg) {
		// The library begins with a context of its own, hence one subscriber a request.
		natstransport.NewSubscriber(carryOut, decodeRequest[Req], encodeResponse(info),
			natstransport.SubscriberBefore(func(context.Context, *nats.Msg) context.Context { return ctx }),
			natstransport.SubscriberErrorEncoder(func(_ context.Context, err error, reply string, _ *nats.Conn) {
				s.respondError(reply, contracts.AsError(err))
			}),
		).ServeMsg(s.nc)(msg)
	}})
}

// chain is the service's own part of the chain. A panic inside of it and one
// of the method are both errors to what stands around them.
func (s *Server) chain(op contracts.Info) endpoint.Middleware {
	if s.cfg.Chain == nil {
		return func(next endpoint.Endpoint) endpoint.Endpoint { return next }
	}
	return s.cfg.Chain(op)
}

func decodeRequest[Req any](_ context.Context, msg *nats.Msg) (any, error) {
	req := new(Req)
	if err := decodeStrictly(msg.Data, req); err != nil {
		// The decoder's own text can quote the request, so it is not kept.
		return nil, refused(contracts.Errorf(contracts.Invalid, "the request is not the JSON that %s takes", msg.Subject))
	}
	if v, ok := any(req).(contracts.Validator); ok {
		if err := v.Validate(); err != nil {
			return nil, refused(err)
		}
	}
	return req, nil
}

// refused is the error of a request that is not begun since it is wrong.
func refused(err error) error {
	e := *contracts.AsError(err)
	e.Outcome = contracts.NotBegun
	return &e
}

// encodeResponse sends an operation's result. What goes wrong here does so
// after the effect.
func encodeResponse(op contracts.Info) natstransport.EncodeResponseFunc {
	return func(_ context.Context, reply string, nc *nats.Conn, response any) error {
		data, err := encode(op, response, nc)
		if err != nil {
			return resultLost(op, err)
		}
		return nc.Publish(reply, data)
	}
}

// encode makes the message of an operation's result.
func encode(op contracts.Info, response any, nc *nats.Conn) ([]byte, error) {
	data, err := json.Marshal(response)
	if err != nil {
		return nil, fmt.Errorf("encode the result of %s: %w", op.ID(), err)
	}
	if limit := nc.MaxPayload(); int64(len(data)) > limit {
		e := contracts.Errorf(contracts.Fault,
			"the result has %d bytes, more than the %d that the message bus carries; ask for less at once", len(data), limit)
		e.Final = true
		return nil, e
	}
	return data, nil
}

// fits has a read fail whose result cannot be sent, in the service's own part of
// the chain already: what is recorded of it is what its caller gets. An effect
// has happened all the same.
func (s *Server) fits(op contracts.Info) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			response, err := next(ctx, request)
			if err != nil || op.Effect != contracts.NoEffect {
				return response, err
			}
			if _, err := encode(op, response, s.nc); err != nil {
				return nil, err
			}
			return response, nil
		}
	}
}

// beginInTime does not begin a request that is over already.
func (s *Server) beginInTime(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		if ctx.Err() != nil {
			return nil, s.named(notBegun(ctx))
		}
		return next(ctx, request)
	}
}

// tellGivenUp has a method that was cancelled say why, in the service's own
// part of the chain already.
func tellGivenUp(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		response, err := next(ctx, request)
		if err != nil && givenUp(ctx) {
			return nil, errGivenUp
		}
		return response, err
	}
}

// panicError is a panic of a method, with the place where it happened.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

func recoverPanics(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (response any, err error) {
		defer func() {
			if value := recover(); value != nil {
				err = &panicError{value: value, stack: debug.Stack()}
			}
		}()
		return next(ctx, request)
	}
}

// report logs how each request ended: which command it was, how long it took,
// and the cause of a failure. It logs no request, no result and nothing that
// quotes the application, and of an operation that is polled only what ended
// otherwise than the request before.
func (s *Server) report(op contracts.Info) endpoint.Middleware {
	var before atomic.Value // how the last request ended: the text of its error
	before.Store("")
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			begin := time.Now()
			response, err := next(ctx, request)
			ended := ""
			if err != nil {
				ended = err.Error()
			}
			if op.Polled && before.Swap(ended) == ended {
				return response, err
			}
			id := IdentityFrom(ctx)
			log := s.cfg.Logger.With("operation", op.ID(), "command", id.CommandID, "duration", time.Since(begin))
			if err == nil {
				log.Info("request answered")
				return response, nil
			}
			e := contracts.AsError(err)
			log = log.With("kind", e.Kind)
			if !e.Quotes { // the cause of one that does quotes too
				log = log.With("message", e.Message, "cause", e.Err)
			}
			var p *panicError
			if errors.As(err, &p) {
				log = log.With("stack", string(p.stack))
			}
			log.Warn("request failed")
			return nil, err
		}
	}
}
