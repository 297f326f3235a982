package eventlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts/event"
)

// Restore adds to the log the events of the copy and of the journal that it
// lacks, each as it was recorded, all or none: those of the copy in their
// places, those of the journal at the end. It checks each event's hash and its
// predecessor's, and the whole against the last checkpoint. A log that has forked
// is an error: see KeepLog.
func (r *Recovery) Restore(ctx context.Context, loss Loss) error {
	if loss.Forked() {
		return fmt.Errorf("the log and its copy have gone different ways after event %d; a person must choose", loss.Common)
	}
	tree, err := r.checkedTree(ctx, loss)
	if err != nil {
		return err
	}
	return r.change(ctx, func(tx pgx.Tx) error {
		if err := r.restoreCopied(ctx, tx, loss, tree); err != nil {
			return err
		}
		lacking, err := r.lackingOfJournal(ctx) // asked in the database as it was before
		if err != nil {
			return err
		}
		return r.appendLost(ctx, tx, lacking, 1, func(e event.Event) error {
			return fmt.Errorf("event %s of the journal does not follow what is in the log of %s", e.ID, e.Stream)
		})
	})
}

// checkedTree is the Merkle tree of a log that is restored. It is compared with
// the last checkpoint when it has that size.
type checkedTree struct {
	*growth
	last SignedCheckpoint
}

// checkedTree returns the tree of the log as it is, up to its last event.
func (r *Recovery) checkedTree(ctx context.Context, loss Loss) (*checkedTree, error) {
	kept, _, err := r.evidence.lastCheckpoint(ctx)
	if err != nil {
		return nil, err
	}
	if kept.Size > max(loss.Head, loss.Copied) {
		return nil, fmt.Errorf("a checkpoint of size %d was signed, and neither the log (%d events) nor its copy (%d) has them all: both have lost events; a person must choose",
			kept.Size, loss.Head, loss.Copied)
	}
	within := kept
	if kept.Size > loss.Head {
		within = SignedCheckpoint{}
	}
	g, _, err := r.log.resumeTree(ctx, within)
	if err != nil {
		return nil, err
	}
	checked := &checkedTree{g, kept}
	for g.tree.Size() < loss.Head {
		leaves, err := r.log.leaves(ctx, g.tree.Size(), leafBatch)
		if err != nil {
			return nil, err
		}
		if len(leaves) == 0 {
			return nil, fmt.Errorf("%w: event %d is missing in the log", ErrMismatch, g.tree.Size()+1)
		}
		for _, leaf := range leaves {
			if err := checked.add(leaf); err != nil {
				return nil, err
			}
		}
	}
	return checked, nil
}

// add extends the tree by an event.
func (t *checkedTree) add(leaf leaf) error {
	if err := t.growth.add(leaf); err != nil {
		return err
	}
	if t.tree.Size() == t.last.Size {
		return t.last.matches(t.tree)
	}
	return nil
}

// restoreCopied puts the events of the copy into their places. Those of which
// the log has the event and not the place get the place alone. The others stand
// before the cursor: what waits for its place comes after them.
func (r *Recovery) restoreCopied(ctx context.Context, tx pgx.Tx, loss Loss, tree *checkedTree) error {
	var first int64 // place below all that the cursor's transaction has
	err := tx.QueryRow(ctx, `SELECT least(min(e.place), 0) - $1 - 1 FROM log_cursor c LEFT JOIN events e USING (epoch, xid)`, loss.Copied).Scan(&first)
	if err != nil {
		return err
	}
	err = r.copied(ctx, loss.Common, loss.Copied, func(batch []event.Event) error {
		for _, e := range batch {
			if err := tree.add(leaf{e.Seq, e.Hash}); err != nil {
				return err
			}
		}
		return r.insert(ctx, tx, batch, `
			INSERT INTO log_kind (integration, operation, type)
				SELECT n.integration, n.operation, n.type FROM lost n EXCEPT SELECT k.integration, k.operation, k.type FROM log_kind k;
			INSERT INTO events (epoch, xid, place, stream_id, version, recorded_at, id, type, integration, operation, command, caller, account, data, prev_hash, hash)
				SELECT c.epoch, c.xid, @first + n.seq, n.stream_id, n.version, n.recorded_at, n.id, n.type, n.integration, n.operation,
					n.command, n.caller, n.account, n.data, n.prev_hash, n.hash
				FROM lost n CROSS JOIN log_cursor c
				WHERE NOT EXISTS (SELECT FROM events e WHERE e.stream_id = n.stream_id AND e.version = n.version AND e.hash = n.hash);
			INSERT INTO log (seq, kind, version, recorded_at, stream_id, command, caller, account, hash)
				SELECT n.seq, k.kind, n.version, n.recorded_at, n.stream_id, n.command, n.caller, n.account, n.hash
				FROM lost n JOIN log_kind k USING (integration, operation, type)`, first)
	})
	if err != nil || loss.Missing() == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE log_cursor SET seq = $1, epoch = p.epoch, xid = p.xid, place = p.place FROM (
			SELECT e.epoch, e.xid, e.place FROM events e JOIN log l USING (stream_id, version)
			ORDER BY e.epoch DESC, e.xid DESC, e.place DESC LIMIT 1) p`, loss.Copied)
	return err
}

// appendLost adds events that have no place to the ends of their streams, where
// they wait for one. Those that are there already, restored or not, are left
// out; refuse is called with those that do not follow what is there. From is the
// place of the first within the transaction.
func (r *Recovery) appendLost(ctx context.Context, tx pgx.Tx, lost []journaled, from int64, refuse func(event.Event) error) error {
	for i, e := range lost {
		var there, follows bool
		err := tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM events WHERE stream_id = $1 AND version = $2 AND hash = $3),
				NOT EXISTS (SELECT FROM events WHERE stream_id = $1 AND version >= $2) AND
				($2 = 1 OR EXISTS (SELECT FROM events WHERE stream_id = $1 AND version = $2 - 1 AND hash = $4))`,
			e.Stream, e.Version, e.Hash, e.PrevHash).Scan(&there, &follows)
		switch {
		case err != nil:
			return err
		case there:
			continue
		case !follows:
			if err := refuse(e.Event); err != nil {
				return err
			}
			continue
		}
		err = r.insert(ctx, tx, []event.Event{e.Event}, `
			INSERT INTO events (epoch, place, stream_id, version, recorded_at, id, type, integration, operation, command, caller, account, data, prev_hash, hash)
				SELECT open_epoch(), @first, n.stream_id, n.version, n.recorded_at, n.id, n.type, n.integration, n.operation,
					n.command, n.caller, n.account, n.data, n.prev_hash, n.hash
				FROM lost n`, from+int64(i))
		if err != nil {
			return err
		}
	}
	return nil
}

// insert runs statements on a batch of events, which they find in the table
// lost, and then checks the batch's chains. @first stands for a number.
func (r *Recovery) insert(ctx context.Context, tx pgx.Tx, batch []event.Event, statements string, first int64) error {
	if _, err := tx.Exec(ctx, `TRUNCATE lost`); err != nil {
		return err
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"lost"},
		[]string{"seq", "stream_id", "version", "recorded_at", "id", "type", "integration", "operation", "command", "caller", "account", "data", "prev_hash", "hash"},
		pgx.CopyFromSlice(len(batch), func(i int) ([]any, error) {
			e := batch[i]
			return []any{
				e.Seq, e.Stream, e.Version, e.Time, e.ID, e.Type, e.Integration, e.Operation, e.Command, e.Caller, e.Account,
				[]byte(e.Data), append([]byte{}, e.PrevHash...), e.Hash,
			}, nil
		}))
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, strings.ReplaceAll(statements, "@first", fmt.Sprint(first))); err != nil {
		return err
	}
	var broken string
	err = tx.QueryRow(ctx, `
		SELECT n.id FROM lost n LEFT JOIN events p ON p.stream_id = n.stream_id AND p.version = n.version - 1
			WHERE n.version > 1 AND p.hash IS DISTINCT FROM n.prev_hash LIMIT 1`).Scan(&broken)
	if !errors.Is(err, pgx.ErrNoRows) {
		return errors.Join(err, fmt.Errorf("event %s does not carry the hash of its predecessor in the log", broken))
	}
	for _, e := range batch {
		if e.Stream == event.CommandStream(e.Command) {
			r.restored = append(r.restored, e.Command)
		}
	}
	return nil
}

// KeepLog settles that the log stands where it and its copy have gone different
// ways. Events that only the copy or the journal has are added at the end of the
// log where they follow what their streams hold; the others are written to save,
// one JSON object a line: their effects may have happened, and a person must
// look for them at the application. Then the copy, the journal and the last
// checkpoint there are removed; a keeper makes them anew from the log.
func (r *Recovery) KeepLog(ctx context.Context, loss Loss, save io.Writer) (saved int, err error) {
	encoder := json.NewEncoder(save)
	refuse := func(e event.Event) error {
		saved++
		return encoder.Encode(e)
	}
	err = r.change(ctx, func(tx pgx.Tx) error {
		next := int64(1)
		err := r.copied(ctx, loss.Common, loss.Copied, func(batch []event.Event) error {
			lost := make([]journaled, len(batch))
			for i, e := range batch {
				e.Seq = 0
				lost[i].Event = e
			}
			next += int64(len(batch))
			return r.appendLost(ctx, tx, lost, next-int64(len(batch)), refuse)
		})
		if err != nil {
			return err
		}
		lacking, err := r.lackingOfJournal(ctx)
		if err != nil {
			return err
		}
		return r.appendLost(ctx, tx, lacking, next, refuse)
	})
	if err != nil {
		return saved, err
	}
	for _, name := range []string{r.evidence.stream, JournalStream} {
		if err := ifThere(r.evidence.js.DeleteStream(ctx, name)); err != nil {
			return saved, fmt.Errorf("remove stream %s: %w", name, err)
		}
	}
	if err := ifThere(r.evidence.js.DeleteKeyValue(ctx, checkpointBucket)); err != nil {
		return saved, fmt.Errorf("remove bucket %s: %w", checkpointBucket, err)
	}
	return saved, nil
}
