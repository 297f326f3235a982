package eventlog

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/event"
)

const (
	benchClients = 32
	benchRound   = 640 // writes of one kind before the other kind has its turn
)

// BenchmarkAppend compares appends to new streams with plain single-row
// inserts of rows of the same size, through the same pool, by 32 clients. The
// two take turns within one run, so that both see the same disk and machine.
//
// x-of-plain-insert is the appends' throughput as a part of the inserts'.
func BenchmarkAppend(b *testing.B) {
	log := newLog(b)
	if _, err := log.pool.Exec(b.Context(), `CREATE TABLE plain (
		stream_id text COLLATE "C" NOT NULL, version bigint NOT NULL, recorded_at timestamptz NOT NULL,
		id text COLLATE "C" NOT NULL, type text NOT NULL, integration text NOT NULL, operation text NOT NULL,
		command text NOT NULL, caller text NOT NULL, account text NOT NULL, data bytea NOT NULL,
		prev_hash bytea NOT NULL, hash bytea NOT NULL, epoch integer NOT NULL, xid xid8 NOT NULL,
		PRIMARY KEY (stream_id, version))`); err != nil {
		b.Fatal(err)
	}
	var appends, inserts time.Duration
	rounds := 0
	for b.Loop() {
		rounds++
		for _, kind := range []struct {
			total *time.Duration
			write func(context.Context, event.Event) error
		}{
			{&inserts, func(ctx context.Context, e event.Event) error { return insertPlain(ctx, log.pool, e) }},
			{&appends, func(ctx context.Context, e event.Event) error {
				_, err := log.Append(ctx, event.CommandStream(e.ID), 0, e)
				return err
			}},
		} {
			start := time.Now()
			if err := writeConcurrently(b, kind.write); err != nil {
				b.Fatal(err)
			}
			*kind.total += time.Since(start)
		}
	}
	writes := float64(rounds * benchRound)
	b.ReportMetric(inserts.Seconds()/appends.Seconds(), "x-of-plain-insert")
	b.ReportMetric(writes/appends.Seconds(), "appends/s")
	b.ReportMetric(writes/inserts.Seconds(), "inserts/s")
	b.ReportMetric(0, "ns/op")
}

func insertPlain(ctx context.Context, pool *pgxpool.Pool, e event.Event) error {
	hash := make([]byte, 32)
	_, err := pool.Exec(ctx, `INSERT INTO plain VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 1, '1')`,
		event.CommandStream(e.ID), 1, time.Now(), e.ID, e.Type, e.Integration, e.Operation,
		e.Command, e.Caller, e.Account, []byte(e.Data), []byte{}, hash)
	if err != nil {
		return fmt.Errorf("plain insert: %w", err)
	}
	return nil
}

// writeConcurrently lets all clients share one round of writes.
func writeConcurrently(b *testing.B, write func(context.Context, event.Event) error) error {
	b.Helper()
	var left atomic.Int64
	left.Store(benchRound)
	var wg sync.WaitGroup
	errs := make(chan error, benchClients)
	for range benchClients {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := write(b.Context(), accepted(b, "benchmark")); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}
