package readmodel

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts/event"
)

// projected is a read model with a table in Postgres.
type projected interface {
	// project folds events into the rows that tx reads, and adds to writes what
	// stores them.
	project(ctx context.Context, tx pgx.Tx, writes *pgx.Batch, events []event.Event, problem func(error)) error
}

func (m model[T, R]) project(ctx context.Context, tx pgx.Tx, writes *pgx.Batch, events []event.Event, problem func(error)) error {
	ids := m.idsOf(events)
	if len(ids) == 0 {
		return nil
	}
	found, err := m.read(ctx, tx, `WHERE id = ANY ($1)`, ids)
	if err != nil {
		return err
	}
	rows := map[string]R{}
	for i := range found {
		r := R(&found[i])
		rows[r.key()] = r
	}
	m.fold(rows, events, problem)

	// In the order of ids, so that two writers of one table never wait for each other.
	sorted := make([]R, 0, len(rows))
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		sorted = append(sorted, rows[id])
	}
	encoded, err := json.Marshal(sorted)
	if err != nil {
		return fmt.Errorf("encode rows of %s: %w", m.table, err)
	}
	writes.Queue(m.upsert(), string(encoded))
	return nil
}

// upsert stores rows that are given as a list in JSON, whose members have the
// columns' names.
func (m model[T, R]) upsert() string {
	columns := strings.Join(m.columns, ", ")
	return `INSERT INTO ` + m.table + ` (` + columns + `)
		SELECT ` + columns + ` FROM json_populate_recordset(NULL::` + m.table + `, $1)
		ON CONFLICT (id) DO UPDATE SET (` + columns + `) = ROW (excluded.` + strings.Join(m.columns, ", excluded.") + `)`
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// read returns the rows that the end of a query selects.
func (m model[T, R]) read(ctx context.Context, q querier, end string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, `SELECT `+strings.Join(m.columns, ", ")+` FROM `+m.table+` `+end, args...)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", m.table, err)
	}
	found, err := pgx.CollectRows(rows, m.scan)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", m.table, err)
	}
	return found, nil
}

func (m model[T, R]) scan(rows pgx.CollectableRow) (T, error) {
	r, err := pgx.RowToStructByName[T](rows)
	utc[T](R(&r))
	return r, err
}
