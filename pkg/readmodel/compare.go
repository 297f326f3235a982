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
	Differences []Difference `json:"differences"` // the first of them, at most 100
}

// Count is the number of rows of one read model.
type Count struct {
	Model   string `json:"model"` // such as "command"
	Live    int64  `json:"live"`
	Rebuilt int64  `json:"rebuilt"`
}

// Difference is one field in which a live row is not what the log says, or a
// row that one side lacks.
type Difference struct {
	Model   string `json:"model"` // such as "command"
	ID      string `json:"id"`
	Field   string `json:"field,omitempty"`   // empty where a whole row is missing
	Live    string `json:"live,omitempty"`    // JSON of the field or row; empty where it is not there
	Rebuilt string `json:"rebuilt,omitempty"` // the same
}

// String tells the difference in one line.
func (d Difference) String() string {
	switch {
	case d.Field != "":
		return fmt.Sprintf("%s %s: %s is %s, and by the log it is %s", d.Model, d.ID, d.Field, orNothing(d.Live), orNothing(d.Rebuilt))
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
func (r *Rebuilt) Compare(ctx context.Context, live *pgxpool.Pool) (c Comparison, err error) {
	defer catchDamage(&err)()
	err = r.await(ctx, live)
	if err == nil {
		still := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		err = pgx.BeginTxFunc(ctx, live, still, func(tx pgx.Tx) (err error) {
			c, err = r.compare(ctx, tx)
			return err
		})
	}
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
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		seq, err := Projected(ctx, live)
		if err != nil || seq >= target {
			return err
		}
		sleep(limited, longestPoll)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if limited.Err() != nil {
			return fmt.Errorf("the live rows stand at event %d and do not reach %d; is the audit service running?", seq, target)
		}
	}
}

func (r *Rebuilt) compare(ctx context.Context, tx pgx.Tx) (c Comparison, err error) {
	if c.Seq, err = cursor(ctx, tx); err != nil {
		return c, err
	}
	if err := r.replay(ctx, c.Seq, nil); err != nil {
		return c, err
	}
	err = r.file.View(func(file *bolt.Tx) error {
		for _, m := range models {
			if err := m.compare(ctx, tx, file, &c); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// compared is a read model whose live rows can be compared with rebuilt ones.
type compared interface {
	compare(ctx context.Context, tx pgx.Tx, file *bolt.Tx, c *Comparison) error
}

// compare goes through both sides in the order of ids, which is that of bytes.
func (m model[T, R]) compare(ctx context.Context, tx pgx.Tx, file *bolt.Tx, c *Comparison) error {
	rows, err := tx.Query(ctx, `SELECT `+strings.Join(m.columns, ", ")+` FROM `+m.table+` ORDER BY id`)
	if err != nil {
		return fmt.Errorf("read %s: %w", m.table, err)
	}
	defer rows.Close()
	count := Count{Model: m.name}
	rebuilt := file.Bucket([]byte(m.table)).Cursor()
	wantID, want := rebuilt.First()
	gotID, got, err := m.nextLive(rows)
	for err == nil && (gotID != nil || wantID != nil) {
		order := bytes.Compare(gotID, wantID)
		isLive := wantID == nil || gotID != nil && order <= 0
		isRebuilt := gotID == nil || wantID != nil && order >= 0
		switch {
		case isLive && isRebuilt:
			err = m.differ(c, string(gotID), got, want)
		case isLive:
			c.add(Difference{Model: m.name, ID: string(gotID), Live: string(got)})
		default:
			c.add(Difference{Model: m.name, ID: string(wantID), Rebuilt: string(want)})
		}
		if isRebuilt {
			count.Rebuilt++
			wantID, want = rebuilt.Next()
		}
		if isLive && err == nil {
			count.Live++
			gotID, got, err = m.nextLive(rows)
		}
	}
	c.Models = append(c.Models, count)
	return err
}

// nextLive returns the next row's id and its JSON, as a rebuilt one has it; no
// id after the last.
func (m model[T, R]) nextLive(rows pgx.Rows) (id, encoded []byte, err error) {
	if !rows.Next() {
		return nil, nil, rows.Err()
	}
	row, err := m.scan(rows)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", m.table, err)
	}
	encoded, err = json.Marshal(row)
	return []byte(R(&row).key()), encoded, err
}

// differ notes the fields in which two rows of one id differ.
func (m model[T, R]) differ(c *Comparison, id string, live, rebuilt []byte) error {
	if bytes.Equal(live, rebuilt) {
		return nil
	}
	var got, want map[string]json.RawMessage
	if err := json.Unmarshal(live, &got); err != nil {
		return err
	}
	if err := json.Unmarshal(rebuilt, &want); err != nil {
		return m.damaged(id, err)
	}
	var fields []Difference
	for _, field := range m.columns {
		if !bytes.Equal(got[field], want[field]) {
			fields = append(fields, Difference{
				Model: m.name, ID: id, Field: field, Live: string(got[field]), Rebuilt: string(want[field]),
			})
		}
	}
	c.add(fields...)
	return nil
}

// add counts one row, and names as many of its differences as there is room for.
func (c *Comparison) add(row ...Difference) {
	c.Differing++
	room := maxDifferences - len(c.Differences)
	c.Differences = append(c.Differences, row[:min(room, len(row))]...)
}
