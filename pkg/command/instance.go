package command

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Bounds of an instance's lease.
const (
	DefaultInstanceLease = 10 * time.Second
	MinInstanceLease     = time.Second
)

// farewell bounds what an instance does at its end.
const farewell = 5 * time.Second

// Instance is this process as one that carries out commands. It renews a lease
// in the database while it runs. Once that has expired, the others take it
// for dead and end its commands in the log.
//
// A process that was silent for longer goes on as another instance, with a new
// id: what it began under the old one may be ended by now, or about to be.
type Instance struct {
	beat   heartbeat
	lease  time.Duration
	logger *slog.Logger
	ctx    context.Context // ends with Run
	end    context.CancelFunc
	work   sync.WaitGroup // what Run waits for

	mu      sync.Mutex
	id      string
	renewed time.Time      // when the last renewal that came through was begun
	running map[string]int // commands that are carried out here, and how many times
}

// NewInstance registers this process. The caller must Run it.
func NewInstance(ctx context.Context, pool *pgxpool.Pool, lease time.Duration, logger *slog.Logger) (*Instance, error) {
	i := &Instance{beat: heartbeat{pool: pool}, lease: lease, logger: logger, running: map[string]int{}}
	i.ctx, i.end = context.WithCancel(context.Background())
	if _, err := i.register(ctx, pool.Exec); err != nil {
		return nil, err
	}
	return i, nil
}

// Run renews the lease until ctx ends, and then gives it back: what is still
// open is for the others.
func (i *Instance) Run(ctx context.Context) {
	tick := time.NewTicker(i.lease / 4)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			continue
		}
		if err := i.renew(ctx); err != nil && ctx.Err() == nil {
			i.logger.Warn("the lease of this instance was not renewed", "error", err)
		}
	}
	i.stop()
	i.work.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	defer i.beat.close(ctx)
	if _, err := i.beat.exec(ctx, `DELETE FROM instances WHERE id = $1`, i.ID()); err != nil {
		i.logger.Warn("the lease of this instance was not given back; it expires by itself", "error", err)
	}
}

// renew extends the lease, or has the process go on as another instance where
// the lease has run out before the answer is there: somebody may have seen that.
func (i *Instance) renew(ctx context.Context) error {
	id := i.ID()
	if extended, err := i.extend(ctx, id); extended || err != nil {
		return err
	}
	fresh, err := i.register(ctx, i.beat.exec)
	if err == nil {
		i.logger.Warn("this instance was silent for longer than its lease and goes on as another one", "instance", id, "new", fresh)
	}
	return err
}

// extend says whether it has extended a lease that was held without a gap.
func (i *Instance) extend(ctx context.Context, id string) (bool, error) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, i.lease/4)
	defer cancel()
	done, err := i.beat.exec(ctx, `
		UPDATE instances SET expires = clock_timestamp() + make_interval(secs => $2) WHERE id = $1 AND expires > clock_timestamp()`,
		id, i.lease.Seconds())
	if err != nil {
		return false, fmt.Errorf("renew the lease of the instance: %w", err)
	}
	if done.RowsAffected() == 0 || !i.Holds(id) {
		return false, nil
	}
	i.hold(id, begun)
	return true, nil
}

// register takes a lease under a new id, by whatever runs a statement. It also
// takes away what instances left behind that have been dead for long.
func (i *Instance) register(ctx context.Context, exec func(context.Context, string, ...any) (pgconn.CommandTag, error)) (id string, err error) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, i.lease)
	defer cancel()
	id = uuid.Must(uuid.NewV7()).String()
	_, err = exec(ctx, `
		WITH gone AS (DELETE FROM instances WHERE expires < clock_timestamp() - interval '1 hour')
		INSERT INTO instances (id, expires) VALUES ($1, clock_timestamp() + make_interval(secs => $2))`, id, i.lease.Seconds())
	if err != nil {
		return "", fmt.Errorf("register the instance: %w", err)
	}
	i.hold(id, begun)
	return id, nil
}

// hold notes a lease that was asked for at a moment.
func (i *Instance) hold(id string, asked time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.id, i.renewed = id, asked
}

// ID is what the commands that this instance accepts now name it by.
func (i *Instance) ID() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.id
}

// Holds says whether this process has held the lease of that id all the time,
// and still does at this moment, as far as it can tell without asking. The
// lease's last quarter is not counted: it is for what is begun now. The wall
// clock counts too, since the monotonic one stands still while the machine
// sleeps.
func (i *Instance) Holds(id string) bool {
	i.mu.Lock()
	current, renewed := i.id, i.renewed
	i.mu.Unlock()
	now, limit := time.Now(), i.lease-i.lease/4
	return id == current && now.Sub(renewed) < limit && now.Round(0).Sub(renewed.Round(0)) < limit
}

// goOn runs something that is left to do for a command, which counts as carried
// out here as long. Its context ends with Run, which waits for it; after that,
// nothing is begun any more.
func (i *Instance) goOn(id string, work func(context.Context)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ctx.Err() != nil {
		return
	}
	i.running[id]++
	i.work.Go(func() {
		defer i.done(id)
		work(i.ctx)
	})
}

// stop ends what goOn runs, and keeps it from running more.
func (i *Instance) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.end()
}

// begin notes that this instance carries a command out.
func (i *Instance) begin(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.running[id]++
}

// done undoes begin.
func (i *Instance) done(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.running[id]--; i.running[id] == 0 {
		delete(i.running, id)
	}
}

// carriesOut says whether this instance carries a command out.
func (i *Instance) carriesOut(id string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.running[id] > 0
}
