package readmodel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	bolt "go.etcd.io/bbolt"
)

const (
	maxDifferences = 100              // that a Comparison names
	patience       = 30 * time.Second // for a projector to reach what was rebuilt
)

// Comparison is what Compare found.
type Comparison struct {
	Seq         int64        `json:"seq"`         // both sides count in the events up to this one
	Models      []Count      `json:"models"`      // commands, sessions, accounts
	Differing   int64        `json:"differing"`   // rows that differ, or stand on one side alone
	Differences []Difference `json:"differences"` // the first of them
}

// Count is the number of rows of one read model.
type Count struct {
	Model   string `json:"model"`
	Live    int64  `json:"live"`
	Rebuilt int64  `json:"rebuilt"`
}

// Difference is one field in which a live row is not what the log says, or a
// row that one side lacks.
type Difference struct {
	Model   string `json:"model"` // such as "command"
	ID      string `json:"id"`
	Field   string `json:"field,omitempty"`   // empty where a whole row is missing
	Live    string `json:"live,omitempty"`    // JSON of the field; empty where it, or the row, is not there
	Rebuilt string `json:"rebuilt,omitempty"` // the same
}

// String tells the difference in one line.
func (d Difference) String() string {
	switch {
	case d.Field != "":
		return fmt.Sprintf("%s %s: %s is %s, and the log says %s", d.Model, d.ID, d.Field, orNothing(d.Live), orNothing(d.Rebuilt))
	case d.Live == "":
		return fmt.Sprintf("%s %s is missing, and the log has it", d.Model, d.ID)
	default:
		return fmt.Sprintf("%s %s is there, and the log does not have it", d.Model, d.ID)
	}
}

func orNothing(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}

// Compare compares the live rows in Postgres with the rebuilt ones, at the same
// event: it looks at the live rows as they are at one moment, and first replays
// what the file lacks of that moment. When the live rows are behind the file, it
// waits for a projector for up to half a minute.
func (r *Rebuilt) Compare(ctx context.Context, live *pgxpool.Pool) (Comparison, error) {
	if err := r.await(ctx, live); err != nil {
		return Comparison{}, fmt.Errorf("compare the read models: %w", err)
	}
	var c Comparison
	still := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, live, still, func(tx pgx.Tx) (err error) {
		if c.Seq, err = cursor(ctx, tx); err != nil {
			return err
		}
		if err := r.replay(ctx, c.Seq, nil); err != nil {
			return err
		}
		return r.file.View(func(file *bolt.Tx) error {
			for _, m := range models {
				if err := m.compare(ctx, tx, file, &c); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return Comparison{}, fmt.Errorf("compare the read models: %w", err)
	}
	return c, nil
}

// await returns once the live rows count in all that the file does.
func (r *Rebuilt) await(ctx context.Context, live *pgxpool.Pool) error {
	target, err := r.Seq()
	if err != nil {
		return err
	}
	deadline, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		seq, err := Projected(ctx, live)
		if err != nil {
			return err
		}
		if seq >= target {
			return nil
		}
		sleep(deadline, longestPoll)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if deadline.Err() != nil {
			return fmt.Errorf("the live rows stand at event %d and do not reach %d; is the audit service running?", seq, target)
		}
	}
}

// compared is a read model whose live rows can be compared.
type compared interface {
	compare(ctx context.Context, tx pgx.Tx, file *bolt.Tx, c *Comparison) error
}

// compare goes through both sides in the order of ids.
func (m model[T, R]) compare(ctx context.Context, tx pgx.Tx, file *bolt.Tx, c *Comparison) error {
	rows, err := tx.Query(ctx, `SELECT `+strings.Join(m.columns, ", ")+` FROM `+m.table+` ORDER BY id`)
	if err != nil {
		return fmt.Errorf("read %s: %w", m.table, err)
	}
	defer rows.Close()
	count := Count{Model: m.name}
	there := file.Bucket([]byte(m.table)).Cursor()
	id, want := there.First()
	for rows.Next() {
		row, err := m.scan(rows)
		if err != nil {
			return fmt.Errorf("read %s: %w", m.table, err)
		}
		got, err := json.Marshal(row)
		if err != nil {
			return fmt.Errorf("encode a row of %s: %w", m.table, err)
		}
		count.Live++
		key := []byte(R(&row).key())
		for ; id != nil && bytes.Compare(id, key) < 0; id, want = there.Next() {
			count.Rebuilt++
			c.add(Difference{Model: m.name, ID: string(id), Rebuilt: string(want)})
		}
		if !bytes.Equal(id, key) {
			c.add(Difference{Model: m.name, ID: string(key), Live: string(got)})
			continue
		}
		count.Rebuilt++
		if !bytes.Equal(got, want) {
			if err := m.differ(c, string(id), got, want); err != nil {
				return err
			}
		}
		id, want = there.Next()
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read %s: %w", m.table, err)
	}
	for ; id != nil; id, want = there.Next() {
		count.Rebuilt++
		c.add(Difference{Model: m.name, ID: string(id), Rebuilt: string(want)})
	}
	c.Models = append(c.Models, count)
	return nil
}

// differ notes the fields in which two rows differ.
func (m model[T, R]) differ(c *Comparison, id string, live, rebuilt []byte) error {
	var got, want map[string]json.RawMessage
	if err := json.Unmarshal(live, &got); err != nil {
		return err
	}
	if err := json.Unmarshal(rebuilt, &want); err != nil {
		return fmt.Errorf("the file's row of %s %s is damaged; delete the file: %w", m.name, id, err)
	}
	var differences []Difference
	for _, field := range m.columns {
		if !bytes.Equal(got[field], want[field]) {
			differences = append(differences, Difference{
				Model: m.name, ID: id, Field: field, Live: string(got[field]), Rebuilt: string(want[field]),
			})
		}
	}
	c.add(differences...)
	return nil
}

// add counts one row, and names as many of its differences as there is room for.
func (c *Comparison) add(row ...Difference) {
	c.Differing++
	room := maxDifferences - len(c.Differences)
	c.Differences = append(c.Differences, row[:min(room, len(row))]...)
}
