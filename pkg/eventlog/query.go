package eventlog

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts/event"
)

// clockSlack is how far the order of the log and that of the events' times
// may be apart for a filter by time to find every event: commits and clocks
// of one database differ by milliseconds, unless a clock is set back.
const clockSlack = time.Minute

// Filter chooses events: those that fulfil every condition that is not zero.
type Filter struct {
	Integration, Operation, Type string
	Caller, Account, Command     string

	Since, Until time.Time // Since ≤ Time < Until
	AfterSeq     int64     // AfterSeq < Seq
	UntilSeq     int64     // Seq ≤ UntilSeq

	// Newest asks for the last events, from the newest back.
	Newest bool
}

// Query returns at most limit of the events that f chooses, in the log's
// order or, for f.Newest, from its end. Events that have no seq yet are not
// found. Long events make it fewer than limit; none is the end. The page that
// follows one which ended with seq n has AfterSeq n; for f.Newest it has
// UntilSeq n − 1, and after seq 1 there is none.
//
// A page takes milliseconds, however long the log and whatever the filter. An
// event whose time lies more than a minute behind that of an earlier event,
// since a clock was set back, may be missed by Since and Until.
func (l *Log) Query(ctx context.Context, f Filter, limit int) ([]event.Event, error) {
	after, until, err := l.bounds(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("query the log: %w", err)
	}
	q := newQuery(f)
	q.args["after"], q.args["until"], q.args["limit"] = after, until, limit
	var events []event.Event
	err = pgx.BeginTxFunc(ctx, l.pool, pgx.TxOptions{BeginQuery: beginQuery}, func(tx pgx.Tx) error {
		// Planned anew each time: what is fast depends on the values.
		rows, err := tx.Query(ctx, q.text(), pgx.QueryExecModeCacheDescribe, q.args)
		if err != nil {
			return err
		}
		events, err = pgx.CollectRows(rows, scanEvent)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("query the log: %w", err)
	}
	return events, nil
}

// beginQuery keeps the planner from what it would choose because it cannot
// know which accounts have which kinds of events: to read all of one kind and
// sort them, or to compile the query. Both take seconds where following the
// indexes takes milliseconds.
const beginQuery = `BEGIN READ ONLY; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off`

// bounds returns the range of seq, without its first, beyond which f chooses
// no event. A filter by time has such a range too.
func (l *Log) bounds(ctx context.Context, f Filter) (after, until int64, err error) {
	after, until = f.AfterSeq, math.MaxInt64
	if f.UntilSeq != 0 {
		until = f.UntilSeq
	}
	if !f.Since.IsZero() {
		low, _, err := l.bisect(ctx, f.Since.Add(-clockSlack))
		if err != nil {
			return 0, 0, err
		}
		after = max(after, low)
	}
	if !f.Until.IsZero() {
		_, high, err := l.bisect(ctx, f.Until.Add(clockSlack))
		if err != nil {
			return 0, 0, err
		}
		until = min(until, high)
	}
	return after, until, nil
}

// bisect returns the place in the log that belongs to a time: the events up
// to low were recorded before it, those beyond high not, as far as the log's
// order is that of time. The two differ only where an event is missing.
func (l *Log) bisect(ctx context.Context, at time.Time) (low, high int64, err error) {
	err = l.pool.QueryRow(ctx, `
		WITH RECURSIVE step (low, high) AS (
			SELECT 0::bigint, seq FROM log_cursor
			UNION ALL
			SELECT CASE WHEN m.recorded_at < $1 THEN m.seq ELSE s.low END,
			       CASE WHEN m.recorded_at < $1 THEN s.high ELSE m.seq - 1 END
				FROM step s JOIN log m ON m.seq = (s.low + s.high + 1) / 2
				WHERE s.low < s.high
		)
		SELECT max(low), min(high) FROM step`, at).Scan(&low, &high)
	return low, high, err
}

// query is the parts of a query's text. Values stand in args only.
type query struct {
	kinds  []string // conditions on the kinds of events: log_kind k
	rows   []string // conditions on the events: log l
	merged bool     // from the events of each kind
	order  string
	args   pgx.NamedArgs
}

func newQuery(f Filter) *query {
	q := &query{rows: []string{"l.seq > @after", "l.seq <= @until"}, order: "l.seq", args: pgx.NamedArgs{}}
	if f.Newest {
		q.order = "l.seq DESC"
	}
	add := func(conditions *[]string, condition, name, value string) {
		if value != "" {
			*conditions = append(*conditions, condition)
			q.args[name] = value
		}
	}
	add(&q.kinds, "k.integration = @integration", "integration", f.Integration)
	add(&q.kinds, "k.operation = @operation", "operation", f.Operation)
	add(&q.kinds, "k.type = @type", "type", f.Type)
	add(&q.rows, "l.caller = @caller", "caller", f.Caller)
	add(&q.rows, "l.account = @account", "account", f.Account)
	add(&q.rows, "l.command = @command", "command", f.Command)
	q.merged = len(q.args) > 0 && f.Command == "" // a command has few events
	if !f.Since.IsZero() {
		q.rows, q.args["since"] = append(q.rows, "l.recorded_at >= @since"), f.Since
	}
	if !f.Until.IsZero() {
		q.rows, q.args["before"] = append(q.rows, "l.recorded_at < @before"), f.Until
	}
	return q
}

// text returns the query. Where it merges, it takes the first events of each
// kind by an index: were there an index for each condition, a combination that
// is seldom would be found only after reading everything else.
func (q *query) text() string {
	kinds := strings.Join(append(q.kinds, "true"), " AND ")
	rows := strings.Join(q.rows, " AND ")
	found := `SELECT l.seq FROM log l JOIN log_kind k USING (kind) WHERE ` + rows + ` AND ` + kinds
	switch {
	case q.merged:
		found = `SELECT l.seq FROM log_kind k CROSS JOIN LATERAL (
			SELECT l.seq FROM log l WHERE l.kind = k.kind AND ` + rows + ` ORDER BY ` + q.order + ` LIMIT @limit) l WHERE ` + kinds
	case len(q.kinds) == 0:
		found = `SELECT l.seq FROM log l WHERE ` + rows
	}
	return page(`(`+found+` ORDER BY `+q.order+` LIMIT @limit) f
		JOIN log l USING (seq) JOIN events e USING (stream_id, version)`, q.order)
}
