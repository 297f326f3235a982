package command

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
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
type Instance struct {
	ID string

	pool   *pgxpool.Pool
	lease  time.Duration
	logger *slog.Logger
	ctx    context.Context // ends with Run
	end    context.CancelFunc
	work   sync.WaitGroup // what Run waits for

	mu      sync.Mutex
	renewed time.Time      // when the last renewal that came through was begun
	running map[string]int // commands that are carried out here, and how many times
}

// NewInstance registers this process. The caller must Run it.
func NewInstance(ctx context.Context, pool *pgxpool.Pool, lease time.Duration, logger *slog.Logger) (*Instance, error) {
	i := &Instance{
		ID: uuid.Must(uuid.NewV7()).String(), pool: pool, lease: lease, logger: logger, running: map[string]int{},
	}
	i.ctx, i.end = context.WithCancel(context.Background())
	if err := i.renew(ctx); err != nil {
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
	i.end()
	i.work.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if _, err := i.pool.Exec(ctx, `DELETE FROM instances WHERE id = $1`, i.ID); err != nil {
		i.logger.Warn("the lease of this instance was not given back; it expires by itself", "error", err)
	}
}

// renew extends the lease. It also takes away what instances left behind that
// have been dead for long.
func (i *Instance) renew(ctx context.Context) error {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, i.lease/2)
	defer cancel()
	_, err := i.pool.Exec(ctx, `
		WITH gone AS (DELETE FROM instances WHERE expires < clock_timestamp() - interval '1 hour')
		INSERT INTO instances (id, expires) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
		ON CONFLICT (id) DO UPDATE SET expires = excluded.expires`, i.ID, i.lease.Seconds())
	if err != nil {
		return fmt.Errorf("renew the lease of the instance: %w", err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.renewed = begun
	return nil
}

// Holds says whether the lease holds at this moment, as far as this process can
// tell without asking. It goes by the wall clock too, since the monotonic one
// stands still while the machine sleeps.
func (i *Instance) Holds() bool {
	i.mu.Lock()
	renewed := i.renewed
	i.mu.Unlock()
	now := time.Now()
	return now.Sub(renewed) < i.lease && now.Round(0).Sub(renewed.Round(0)) < i.lease
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
