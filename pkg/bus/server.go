package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-kit/kit/endpoint"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"integration.gateway/contracts"
)

// Config describes one service instance on the bus.
type Config struct {
	Name        string // the integration
	Version     string // semantic version of the service
	Description string

	// Workers is how many requests are carried out at once, Queue how many
	// more may wait, for a worker or for another write of their account. One
	// account may take half of the queue, and half of the workers for its reads,
	// at least one. A request beyond these is answered at once with a Busy error.
	Workers int
	Queue   int

	// Chain wraps every operation's endpoint; nil adds nothing.
	Chain func(contracts.Info) endpoint.Middleware

	Logger *slog.Logger
}

// Server is one instance of a service: a bounded set of workers that carry out
// the requests arriving for the operations that Handle bound to it.
type Server struct {
	cfg      Config
	bindings []binding

	nc      *nats.Conn
	service micro.Service
	id      string               // of this instance on the bus
	heard   []*nats.Subscription // tell of callers that have gone, or that ask whether this instance is there
	ctx     context.Context      // ends when requests under way must stop
	cancel  context.CancelFunc
	queue   *queue
	workers sync.WaitGroup
}

// binding is an operation with what carries out a request of it.
type binding struct {
	op      contracts.Info
	perform func(context.Context, *nats.Msg)
}

// NewServer prepares a service instance. Bind its operations with Handle, then
// Start it.
func NewServer(cfg Config) *Server {
	s := &Server{cfg: cfg}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Start announces the service and its operations on the
// bus; the NATS server knows them when it returns. After a nil error the caller
// must end it with Drain.
func (s *Server) Start(nc *nats.Conn) error {
	if s.cfg.Workers < 1 || s.cfg.Queue < 0 {
		return fmt.Errorf("service %s: %d workers with a queue of %d; at least one worker is needed", s.cfg.Name, s.cfg.Workers, s.cfg.Queue)
	}
	service, err := micro.AddService(nc, micro.Config{
		Name:        s.cfg.Name,
		Version:     s.cfg.Version,
		Description: s.cfg.Description,
		QueueGroup:  s.cfg.Name,
	})
	if err != nil {
		return fmt.Errorf("announce service %s: %w", s.cfg.Name, err)
	}
	s.nc, s.service, s.id = nc, service, service.Info().ID
	s.queue = newQueue(s.cfg.Workers, s.cfg.Queue, s.start, s.refuse)
	if err := s.announce(); err != nil {
		ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
		defer cancel()
		return errors.Join(err, s.Drain(ctx))
	}
	return nil
}

func (s *Server) announce() error {
	gone, err := s.nc.Subscribe(goneSubject(s.cfg.Name), func(msg *nats.Msg) { s.queue.giveUp(string(msg.Data)) })
	if err != nil {
		return fmt.Errorf("listen for callers of %s that have gone: %w", s.cfg.Name, err)
	}
	s.heard = append(s.heard, gone)
	alive, err := s.nc.Subscribe(aliveSubject(s.id), func(msg *nats.Msg) { s.tellTaken(msg.Reply) })
	if err != nil {
		return fmt.Errorf("listen for callers of %s that wait: %w", s.cfg.Name, err)
	}
	s.heard = append(s.heard, alive)
	for _, b := range s.bindings {
		if err := s.listen(b); err != nil {
			return err
		}
	}
	if err := s.flush(context.Background()); err != nil {
		return fmt.Errorf("announce service %s: %w", s.cfg.Name, err)
	}
	return nil
}

// listen makes NATS deliver the operation's requests to dispatch.
func (s *Server) listen(b binding) error {
	handler := micro.HandlerFunc(func(r micro.Request) {
		s.dispatch(newJob(s.ctx, b, &nats.Msg{
			Subject: r.Subject(), Reply: r.Reply(), Header: nats.Header(r.Headers()), Data: r.Data(),
		}))
	})
	if err := s.service.AddEndpoint(b.op.Name, handler, micro.WithEndpointSubject(b.op.Subject())); err != nil {
		return fmt.Errorf("bind %s: %w", b.op.ID(), err)
	}
	return nil
}

// dispatch hands a request to a worker or to the queue and never blocks: NATS
// delivers all requests of an operation on one goroutine.
func (s *Server) dispatch(j *job) {
	if j.msg.Header.Get(tellTakenHeader) != "" {
		s.tellTaken(j.msg.Reply)
	}
	if why := s.queue.enter(j); why != nil {
		s.refuse(j, why)
	}
}

// tellTaken tells a caller that this instance is there and has its request. If
// that is lost, the caller waits for the answer alone.
func (s *Server) tellTaken(reply string) {
	msg := nats.NewMsg(reply)
	msg.Header.Set(takenHeader, s.id)
	_ = s.nc.PublishMsg(msg)
}

// start starts a worker. The queue knows how many there may be.
func (s *Server) start(j *job) { s.workers.Go(func() { s.work(j) }) }

// work carries out a request, and those after it, until there is none that may
// run.
func (s *Server) work(j *job) {
	for j != nil {
		s.perform(j)
		j = s.queue.next(j)
	}
}

// perform carries a request out. The chain around the method does not reach
// the decoding of the request and the encoding of the result: a panic there
// must not end the process either.
func (s *Server) perform(j *job) {
	defer j.end()
	defer func() {
		if value := recover(); value != nil {
			p := &panicError{value: value, stack: debug.Stack()}
			s.cfg.Logger.Error("request failed outside of its operation", "subject", j.msg.Subject, "cause", p, "stack", string(p.stack))
			s.respondError(j.msg.Reply, contracts.AsError(p))
		}
	}()
	giveBack := func() *contracts.Error {
		if why := s.queue.park(j); why != nil {
			return s.named(why)
		}
		return nil
	}
	j.binding.perform(WithGiveBack(j.ctx, giveBack), j.msg)
}

// refuse answers a request that was not begun.
func (s *Server) refuse(j *job, why *contracts.Error) {
	j.end()
	s.respondError(j.msg.Reply, s.named(why))
}

// named has an error say which service it is from.
func (s *Server) named(why *contracts.Error) *contracts.Error {
	e := *why
	e.Message = s.cfg.Name + ": " + why.Message
	return &e
}

func (s *Server) respondError(reply string, e *contracts.Error) {
	if err := s.nc.PublishMsg(encodeError(reply, e)); err != nil {
		s.cfg.Logger.Error("error reply was not sent", "service", s.cfg.Name, "error", err)
	}
}

// handOver is how long requests that have arrived may take to reach dispatch,
// which is well below a millisecond unless the machine is overloaded.
const handOver = 50 * time.Millisecond

// takeArrived waits until the requests that were sent to the service before
// NATS knew of its end are dispatched. Otherwise nobody would answer them, and
// their callers would wait for their whole time limit. A flush brings them all
// into this process; the last bit of their way micro does not tell about.
func (s *Server) takeArrived(ctx context.Context) {
	if s.flush(ctx) != nil {
		return // nothing arrives without a connection
	}
	select {
	case <-time.After(handOver):
	case <-ctx.Done():
	}
}

// flush waits until the NATS server has all that was sent to it.
func (s *Server) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return s.nc.FlushWithContext(ctx)
}

// stopListening ends the news of callers.
func (s *Server) stopListening() error {
	var errs []error
	for _, sub := range s.heard {
		if err := sub.Unsubscribe(); !errors.Is(err, nats.ErrConnectionClosed) { // then there is no news any more
			errs = append(errs, err)
		}
	}
	s.heard = nil
	return errors.Join(errs...)
}

// Drain ends the service: no new requests are taken, those that were begun are
// finished, and those that wait are handed back at once, with a Busy error.
// When ctx ends first, requests under way are cancelled and Drain returns ctx's
// error after they have noticed.
func (s *Server) Drain(ctx context.Context) error {
	stopErr := s.service.Stop()
	s.queue.handBack()
	s.takeArrived(ctx)
	s.queue.stop()

	done := make(chan struct{})
	go func() {
		s.workers.Wait()
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
		s.cancel()
		<-done
	}
	s.cancel()
	if listenErr := s.stopListening(); err == nil {
		err = errors.Join(stopErr, listenErr)
	}
	if err != nil {
		return fmt.Errorf("drain service %s: %w", s.cfg.Name, err)
	}
	return s.flush(ctx)
}
