package eventlog

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
)

const (
	benchClients = 32
	benchRound   = 640 // writes of one kind before the other kind has its turn

	smallLog, largeLog = 10_000, 2_000_000 // events
	copiedLog          = 50_000
	replayedLog        = 100_000
	replayPage         = 1000
	appendsPerSecond   = 1000
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
				_, err := log.Append(ctx, event.CommandStream(e.ID), event.Event{}, e)
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

// BenchmarkAppendToALargeLog compares the time of one append, without others beside it, to a log of 2,000,000 events and to one of
// 10,000. The two take turns. As in real life each command is a new stream that gets four events, one by one.
//
// x-p50-of-10k is the large log's median as a multiple of the small one's.
func BenchmarkAppendToALargeLog(b *testing.B) {
	type subject struct {
		log   *Log
		times []time.Duration
	}
	subjects := []*subject{{log: filledLog(b, smallLog)}, {log: filledLog(b, largeLog)}}
	for b.Loop() {
		id, last := event.NewID(), make([]event.Event, len(subjects))
		for range eventsOfACommand {
			for i, s := range subjects {
				start := time.Now()
				appended, err := s.log.Append(b.Context(), event.CommandStream(id), last[i], accepted(b, "benchmark"))
				if err != nil {
					b.Fatal(err)
				}
				s.times = append(s.times, time.Since(start))
				last[i] = appended[0]
			}
		}
	}
	small, large := percentile(subjects[0].times, 50), percentile(subjects[1].times, 50)
	b.ReportMetric(large.Seconds()/small.Seconds(), "x-p50-of-10k")
	b.ReportMetric(float64(small.Microseconds()), "p50-10k-µs")
	b.ReportMetric(float64(large.Microseconds()), "p50-2M-µs")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRelay copies a log that is there into an empty JetStream stream.
func BenchmarkRelay(b *testing.B) {
	s := newSetup(b)
	fillLog(b, s.log, copiedLog)
	var total time.Duration
	rounds := 0
	for b.Loop() {
		rounds++
		total += s.copyOnce(b, copiedLog)
	}
	b.ReportMetric(float64(rounds*copiedLog)/total.Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}

func (s *setup) copyOnce(b *testing.B, n int) time.Duration {
	b.Helper()
	r := s.relay(b)
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	start := time.Now()
	go func() { done <- r.run(ctx) }()
	until(b, "the log is copied", func(ctx context.Context) bool {
		stream, err := s.js.Stream(ctx, DefaultStream)
		return err == nil && stream.CachedInfo().State.LastSeq == uint64(n)
	})
	took := time.Since(start)
	cancel()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	if err := s.js.DeleteStream(b.Context(), DefaultStream); err != nil {
		b.Fatal(err)
	}
	return took
}

// BenchmarkLag measures, at 1,000 appends a second for a second at a time, how long after the beginning of its append an event
// reaches a subscriber of the JetStream stream. An append that cannot begin in time, since all clients are at work, counts from
// when it should have begun.
func BenchmarkLag(b *testing.B) {
	s := newSetup(b)
	s.keep(b)
	s.fill(b, 1)
	s.awaitCopy(b, 1)
	received := s.receive(b)
	var begun sync.Map // time.Time by event id
	var commits, lags []time.Duration
	for b.Loop() {
		commits = append(commits, s.appendSteadily(b, &begun)...)
		for range appendsPerSecond {
			select {
			case r := <-received:
				start, _ := begun.Load(r.id)
				lags = append(lags, r.at.Sub(start.(time.Time)))
			case <-time.After(testLimit):
				b.Fatalf("%d events received", len(lags))
			}
		}
	}
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(milliseconds(percentile(lags, 50)), "lag-p50-ms")
	b.ReportMetric(milliseconds(percentile(lags, 99)), "lag-p99-ms")
	b.ReportMetric(milliseconds(percentile(commits, 99)), "append-p99-ms")
	b.ReportMetric(0, "ns/op")
}

type receipt struct {
	id string
	at time.Time
}

// receive subscribes to what follows in the stream.
func (s *setup) receive(b *testing.B) <-chan receipt {
	b.Helper()
	received := make(chan receipt, appendsPerSecond)
	consumer, err := s.js.OrderedConsumer(b.Context(), DefaultStream, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverNewPolicy})
	if err != nil {
		b.Fatal(err)
	}
	consuming, err := consumer.Consume(func(msg jetstream.Msg) { received <- receipt{msg.Headers().Get("ce-id"), time.Now()} })
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(consuming.Stop)
	return received
}

// appendSteadily appends for a second and returns how long each append took.
func (s *setup) appendSteadily(b *testing.B, begun *sync.Map) []time.Duration {
	b.Helper()
	took := make([]time.Duration, appendsPerSecond)
	due := make(chan int, appendsPerSecond)
	start := time.Now()
	at := func(n int) time.Time { return start.Add(time.Duration(n) * time.Second / appendsPerSecond) }
	var clients sync.WaitGroup
	for range benchClients {
		clients.Go(func() {
			for n := range due {
				e := accepted(b, "benchmark")
				e.ID = event.NewID()
				begun.Store(e.ID, at(n))
				if _, err := s.log.Append(b.Context(), event.CommandStream(e.ID), event.Event{}, e); err != nil {
					b.Error(err)
				}
				took[n] = time.Since(at(n))
			}
		})
	}
	for n := range appendsPerSecond {
		time.Sleep(time.Until(at(n)))
		due <- n
	}
	close(due)
	clients.Wait()
	return took
}

// BenchmarkReplay reads a whole log in order, page by page.
func BenchmarkReplay(b *testing.B) {
	log := filledLog(b, replayedLog)
	read := 0
	for b.Loop() {
		for seq := int64(0); seq < replayedLog; {
			events, err := log.Range(b.Context(), seq, replayPage)
			if err != nil {
				b.Fatal(err)
			}
			seq += int64(len(events))
			read += len(events)
		}
	}
	b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}

func percentile(times []time.Duration, percent int) time.Duration {
	slices.Sort(times)
	return times[(len(times)-1)*percent/100]
}

const eventsOfACommand = 4

func filledLog(b *testing.B, n int) *Log {
	b.Helper()
	log := newLog(b)
	fillLog(b, log, n)
	return log
}

// fillLog fills an empty log with n events as the commands of the last hours would have left them, only that the hashes are not
// chained: appends would take hours as well.
func fillLog(b *testing.B, log *Log, n int) {
	b.Helper()
	ctx := b.Context()
	for _, statement := range []string{dropSearches, fmt.Sprintf(fillEvents, n)} {
		if _, err := log.pool.Exec(ctx, statement); err != nil {
			b.Fatal(err)
		}
	}
	for head := 0; head < n; {
		if err := log.pool.QueryRow(ctx, "SELECT head FROM sequence_events($1)", fillBatch).Scan(&head); err != nil {
			b.Fatal(err)
		}
	}
	for _, statement := range []string{"VACUUM ANALYZE events", "VACUUM ANALYZE log", "CHECKPOINT"} {
		if _, err := log.pool.Exec(ctx, statement); err != nil {
			b.Fatal(err)
		}
	}
}

const fillBatch = 200_000 // events that get their seq at once

// The indexes for searches take half of the time of filling, and nothing that is measured here reads or writes them.
const dropSearches = `DO $$
	DECLARE
		name text;
	BEGIN
		FOR name IN SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND indexname LIKE 'log_by_%' LOOP
			EXECUTE 'DROP INDEX ' || name;
		END LOOP;
	END $$`

// Four events a command, one each 10 milliseconds up to now. Ids rise with time, as those of UUID version 7 do.
const fillEvents = `
	WITH numbered AS (
		SELECT n, n %% 4 + 1 AS version, (extract(epoch FROM now()) * 1000)::bigint - (%[1]d - n) * 10 AS at, md5(n::text) AS random
			FROM generate_series(0, %[1]d - 1) n
	), named AS (
		SELECT *, lpad(to_hex(at), 12, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0') AS id,
				  lpad(to_hex(at - (version - 1) * 10), 12, '0') || '-7000-9000-' || lpad(to_hex(n / 4), 12, '0') AS command FROM numbered
	)
	INSERT INTO events (stream_id, version, epoch, place, recorded_at, id, type, integration, operation, command, caller, account, data, prev_hash, hash)
	SELECT 'command/' || command, version, (SELECT epoch FROM log_epoch), n, to_timestamp(at / 1000.0), id,
		   (ARRAY['command.accepted', 'effect.started', 'effect.confirmed', 'command.completed'])[version], 'marketplace', 'buy-now',
		   command, 'caller-' || n / 4 %% 100, 'account-' || n / 4 %% 1000,
		   convert_to('{"request":{"asin":"B' || left(random, 9) || '","quantity":1,"note":"' || repeat(random, 6) || '"},"site":"sandbox","siteHash":"5f70bf18a086"}', 'UTF8'),
		   CASE version WHEN 1 THEN '' ELSE decode(repeat(random, 2), 'hex') END, decode(repeat(random, 2), 'hex')
		FROM named ORDER BY n`
