package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// The pause before Chromium is started again doubles from the first to the
// last; a process that has run for steadyAfter starts the count anew.
const (
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 10 * time.Second
	steadyAfter  = 30 * time.Second
)

// chromium is one Chromium process of a pool with all that lives in it.
type chromium struct {
	*process
	pool *Pool
	rod  *rod.Browser

	// guarded by the pool's mutex
	served    int         // leases that it has begun
	leases    int         // leases that are out
	retired   bool        // gets no new leases
	reserve   []*isolated // blank contexts, each with one idle page
	refilling bool
	handed    *Page                         // whose context was handed over; see HandOver
	outside   proto.BrowserBrowserContextID // the default context, once one was handed over
}

// startChromium starts a process for the pool and fills its reserve.
func (p *Pool) startChromium(ctx context.Context) (*chromium, error) {
	began := time.Now()
	c := &chromium{pool: p}
	process, err := startProcess(ctx, p.cfg, func(event *cdp.Event) { p.observe(c, event) })
	if err != nil {
		return nil, err
	}
	c.process = process
	c.rod = rod.New().Client(c.conn).NoDefaultDevice().Context(c.conn.ctx)
	err = c.rod.Connect()
	if err == nil && p.cfg.Reserve > 0 {
		err = c.addReserve(ctx)
	}
	if err != nil {
		c.stop(ErrGone)
		return nil, fmt.Errorf("browser: start %s: %w", p.cfg.Path, err)
	}
	p.log.Info("chromium started", "pid", c.pid, "took", time.Since(began))
	return c, nil
}

// install makes c serve new leases, in the place of the one that does. It is
// false when the pool has closed in the meantime.
func (p *Pool) install(c *chromium) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finished {
		return false
	}
	old := p.current
	p.current, p.trouble = c, nil
	p.running[c] = struct{}{}
	if old != nil {
		p.retire(old)
	}
	p.spawn(func() { p.mind(c) })
	p.refill(c)
	p.broadcast()
	return true
}

// retire lets a process end when its last lease does. The mutex is held.
func (p *Pool) retire(c *chromium) {
	c.retired = true
	for _, in := range p.accounts {
		if in.on == c {
			p.condemn(in)
		}
	}
}

// refill has blank contexts made until the reserve is full. The mutex is held.
func (p *Pool) refill(c *chromium) {
	if c.refilling || c.retired || p.sole() || len(c.reserve) >= p.cfg.Reserve {
		return
	}
	c.refilling = true
	p.spawn(func() {
		err := c.addReserve(c.conn.ctx)
		p.mu.Lock()
		defer p.mu.Unlock()
		c.refilling = false
		if err == nil {
			p.refill(c)
		} else if c.conn.ctx.Err() == nil {
			p.log.Warn("a blank context could not be made", "error", err)
		}
	})
}

// sole tells whether the one lease of a pool that has no more is out. The mutex
// is held.
func (p *Pool) sole() bool { return p.cfg.Single && p.open > 0 }

func (c *chromium) addReserve(ctx context.Context) error {
	in, page, err := c.newIsolated(ctx)
	if err != nil {
		return err
	}
	in.idle = []*Page{page}
	c.pool.mu.Lock()
	defer c.pool.mu.Unlock()
	c.reserve = append(c.reserve, in)
	return nil
}

// supervise keeps one process ready for new leases: after a crash, and when
// the one that serves has served enough.
func (p *Pool) supervise() {
	pause, last := firstBackoff, time.Now()
	for {
		p.mu.Lock()
		changed := p.changed
		needed := (p.current == nil || p.current.served >= p.cfg.RecycleAfter) && !p.sole()
		p.mu.Unlock()
		if !needed {
			select {
			case <-changed:
				continue
			case <-p.ctx.Done():
				return
			}
		}
		if time.Since(last) > steadyAfter {
			pause = firstBackoff
		}
		last = time.Now()
		c, err := p.startChromium(p.ctx)
		if err == nil && !p.install(c) {
			c.stop(ErrClosed)
			return
		}
		if !p.afterStart(err, pause) {
			return
		}
		pause = min(2*pause, lastBackoff)
	}
}

// afterStart notes how a start went and pauses before another may be needed. It
// is false when the pool closes.
func (p *Pool) afterStart(err error, pause time.Duration) bool {
	if err != nil && p.ctx.Err() == nil {
		p.log.Error("chromium could not be started", "error", err, "again_in", pause)
		p.mu.Lock()
		p.trouble = err
		p.mu.Unlock()
	}
	select {
	case <-time.After(pause):
		return true
	case <-p.ctx.Done():
		return false
	}
}

// mind is the goroutine that owns a process: it asks it for signs of life,
// and ends it when it is drained, dead or dumb.
func (p *Pool) mind(c *chromium) {
	cause := p.untilEnd(c)
	p.mu.Lock()
	if p.current == c {
		p.current = nil
	}
	p.retire(c)
	p.mu.Unlock()
	c.stop(cause)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, c)
	for target, page := range p.targets {
		if page.in.on == c {
			delete(p.targets, target)
		}
	}
	p.broadcast()
	p.log.Info("chromium ended", "pid", c.pid, "cause", cause)
}

// hasEnded tells whether the process has gone, which mind may not have seen yet.
func (c *chromium) hasEnded() bool { return c.conn.ctx.Err() != nil }

// untilEnd returns when c is to end, with the cause.
func (p *Pool) untilEnd(c *chromium) error {
	beat := time.NewTicker(p.cfg.Heartbeat)
	defer beat.Stop()
	var overdue <-chan time.Time
	for {
		p.mu.Lock()
		retired, idle, changed := c.retired, c.leases == 0, p.changed
		p.mu.Unlock()
		if retired && idle {
			return ErrPageClosed
		}
		if retired && overdue == nil {
			overdue = time.After(p.cfg.DrainTimeout)
		}
		select {
		case <-changed:
		case <-overdue:
			return fmt.Errorf("%w: it was replaced and its leases did not end", ErrGone)
		case <-c.conn.ctx.Done():
			return context.Cause(c.conn.ctx)
		case <-beat.C:
			if err := p.ping(c.conn.ctx, c.conn, "", proto.BrowserGetVersion{}); err != nil {
				return fmt.Errorf("%w: it does not answer: %w", ErrGone, err)
			}
		}
	}
}

// ping asks for a sign of life. Any answer is one, an error's too.
func (p *Pool) ping(ctx context.Context, c *conn, session string, req proto.Request) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.HangAfter)
	defer cancel()
	_, err := c.Call(ctx, session, req.ProtoReq(), req)
	if ctx.Err() == nil {
		return nil
	}
	return err
}
