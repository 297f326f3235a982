package session

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"integration.gateway/pkg/browser"
)

// startPause is the pause after a browser of the reserve could not be started.
const startPause = 5 * time.Second

// reserve keeps browsers that are started already: a session that begins with
// one is there sooner by what Chromium takes to start.
type reserve struct {
	size    int
	config  browser.Config
	logger  *slog.Logger
	started chan *browser.Pool
	wanted  chan struct{} // holds one element when there may be room
}

func newReserve(size int, config browser.Config, logger *slog.Logger) reserve {
	r := reserve{size: size, config: config, logger: logger, started: make(chan *browser.Pool, size), wanted: make(chan struct{}, 1)}
	r.refill()
	return r
}

// take returns a browser: one of the reserve, or one that is started now. Who
// takes it has refill called once it is used, not before: another start would
// compete with the work at hand.
func (r *reserve) take(ctx context.Context) (*browser.Pool, error) {
	select {
	case pool := <-r.started:
		return pool, nil
	default:
		return browser.Open(ctx, r.config)
	}
}

// refill has the reserve filled up.
func (r *reserve) refill() {
	select {
	case r.wanted <- struct{}{}:
	default:
	}
}

// fill keeps the reserve full until ctx ends.
func (r *reserve) fill(ctx context.Context) {
	for {
		select {
		case <-r.wanted:
		case <-ctx.Done():
			return
		}
		for len(r.started) < r.size && ctx.Err() == nil {
			pool, err := browser.Open(ctx, r.config)
			if err == nil {
				r.started <- pool // there is room: nobody else puts one there
				continue
			}
			if ctx.Err() == nil {
				r.logger.Error("a browser for sessions could not be started ahead", "error", err, "again_in", startPause)
			}
			select {
			case <-time.After(startPause):
			case <-ctx.Done():
			}
		}
	}
}

// close ends the browsers of the reserve, once fill has returned.
func (r *reserve) close() error {
	var ending sync.WaitGroup
	errs := make([]error, len(r.started))
	for i := range errs {
		ending.Go(func() { errs[i] = (<-r.started).Close(context.Background()) })
	}
	ending.Wait()
	return errors.Join(errs...)
}

// kill ends a browser at once, with the page that is leased in it.
func kill(pool *browser.Pool) {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = pool.Close(now) // it says that a page was leased
}
