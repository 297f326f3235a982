package readmodel

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"integration.gateway/contracts/event"
)

// ErrOtherLog says that a file was rebuilt from another log.
var ErrOtherLog = errors.New("the file was rebuilt from another log; delete it, or name another file")

// format names how a file holds its rows and what they say. A change of either
// gets a new name, so that no file is gone on with that began otherwise.
const format = "integration.gateway/readmodel/v2"

const (
	lockTimeout     = time.Second // for another process that has the file open
	batchesTogether = 10          // batches that a replay counts in at once
)

var (
	metaBucket = []byte("meta")
	formatKey  = []byte("format")
	cursorKey  = []byte("cursor") // 8 bytes of seq, then the id of that event
)

// Rebuilt are read models that were rebuilt from the log alone, in a file.
type Rebuilt struct {
	file *bolt.DB
	log  Log
}

// Rebuild replays the log from nothing into a file, up to the event that is
// the last one when it begins. A file that holds a part already is gone on with:
// rows and their place in the log are stored in one transaction, every 5000
// events, so that a replay may be broken off at any moment. ErrOtherLog says that
// the file is of another log.
//
// progress, unless nil, is told each time how many events of how many are done.
// The caller must Close what Rebuild returns.
func Rebuild(ctx context.Context, log Log, file string, progress func(done, total int64)) (r *Rebuilt, err error) {
	defer catchDamage(&err)()
	r, err = openRebuilt(file, log)
	if err != nil {
		return nil, fmt.Errorf("rebuild the read models into %s: %w", file, err)
	}
	head, err := log.Head(ctx)
	if err == nil {
		err = r.replay(ctx, head, progress)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("rebuild the read models into %s: %w", file, err), r.Close())
	}
	return r, nil
}

// catchDamage makes an error of what bbolt does with a damaged file: it panics, or
// reads memory beyond the end of a file that was cut off. The file stays open then,
// until the process ends.
func catchDamage(err *error) (deferred func()) {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if cause := recover(); cause != nil {
			*err = fmt.Errorf("the file of rebuilt read models is damaged; delete it, or name another (%v)", cause)
		}
	}
}

func openRebuilt(file string, log Log) (*Rebuilt, error) {
	db, err := bolt.Open(file, 0o600, &bolt.Options{Timeout: lockTimeout})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, errors.New("another process is using the file")
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return nil, fmt.Errorf("the file is not one of rebuilt read models; name another: %w", err)
	case err != nil:
		return nil, err
	}
	if err := db.Update(prepare); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Rebuilt{file: db, log: log}, nil
}

// prepare makes a new file's buckets, and refuses a file of another format.
func prepare(tx *bolt.Tx) error {
	if meta := tx.Bucket(metaBucket); meta != nil {
		if found := meta.Get(formatKey); string(found) != format {
			return fmt.Errorf("the file is of another version of this program (%q); delete it, or name another", found)
		}
		return nil
	}
	if name, _ := tx.Cursor().First(); name != nil {
		return errors.New("the file is a database of something else; name another")
	}
	meta, err := tx.CreateBucket(metaBucket)
	if err != nil {
		return err
	}
	for _, m := range models {
		if err := m.createBucket(tx); err != nil {
			return err
		}
	}
	return meta.Put(formatKey, []byte(format))
}

// Close closes the file, which stays and can be gone on with.
func (r *Rebuilt) Close() error { return r.file.Close() }

// Seq returns the seq of the last event that the file counts in.
func (r *Rebuilt) Seq() (int64, error) {
	seq, _, err := r.cursor()
	return seq, err
}

func (r *Rebuilt) cursor() (seq int64, id string, err error) {
	err = r.file.View(func(tx *bolt.Tx) error {
		value := tx.Bucket(metaBucket).Get(cursorKey)
		if len(value) >= 8 {
			seq, id = int64(binary.BigEndian.Uint64(value)), string(value[8:])
		}
		return nil
	})
	return seq, id, err
}

// replay counts in the events up to the one with the seq target.
func (r *Rebuilt) replay(ctx context.Context, target int64, progress func(done, total int64)) error {
	seq, err := r.checkLog(ctx)
	if err != nil {
		return err
	}
	for seq < target {
		// Batches share a transaction, since each waits for the disk.
		err := r.file.Update(func(tx *bolt.Tx) error {
			for range batchesTogether {
				if seq, err = r.countIn(ctx, tx, seq, target); err != nil || seq == target {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if progress != nil {
			progress(seq, target)
		}
	}
	return nil
}

// countIn counts in the next batch and returns the seq of its last event.
func (r *Rebuilt) countIn(ctx context.Context, tx *bolt.Tx, seq, target int64) (int64, error) {
	events, err := r.log.Range(ctx, seq, int(min(batchSize, target-seq)))
	if err != nil {
		return seq, err
	}
	if len(events) == 0 {
		return seq, fmt.Errorf("the log ends at event %d of %d", seq, target)
	}
	for _, m := range models {
		if err := m.rebuild(tx, events); err != nil {
			return seq, err
		}
	}
	last := events[len(events)-1]
	value := binary.BigEndian.AppendUint64(nil, uint64(last.Seq))
	return last.Seq, tx.Bucket(metaBucket).Put(cursorKey, append(value, last.ID...))
}

// checkLog returns the file's seq, once it is sure that the file is of this log.
func (r *Rebuilt) checkLog(ctx context.Context) (int64, error) {
	seq, id, err := r.cursor()
	if err != nil || seq == 0 {
		return 0, err
	}
	events, err := r.log.Range(ctx, seq-1, 1)
	if err != nil {
		return 0, err
	}
	switch {
	case len(events) == 0:
		return 0, fmt.Errorf("%w: it ends with event %d, and this log ends before", ErrOtherLog, seq)
	case events[0].ID != id:
		return 0, fmt.Errorf("%w: its event %d is %s, and this log's is %s", ErrOtherLog, seq, id, events[0].ID)
	}
	return seq, nil
}

// rebuilt is a read model with a bucket in a file.
type rebuilt interface {
	createBucket(tx *bolt.Tx) error
	// rebuild folds events into the rows of the bucket.
	rebuild(tx *bolt.Tx, events []event.Event) error
	compared
}

func (m model[T, R]) createBucket(tx *bolt.Tx) error {
	_, err := tx.CreateBucket([]byte(m.table))
	return err
}

func (m model[T, R]) rebuild(tx *bolt.Tx, events []event.Event) error {
	bucket := tx.Bucket([]byte(m.table))
	rows := map[string]R{}
	ids := m.idsOf(events)
	for _, id := range ids {
		if value := bucket.Get([]byte(id)); value != nil {
			r := R(new(T))
			if err := json.Unmarshal(value, r); err != nil {
				return m.damaged(id, err)
			}
			rows[id] = r
		}
	}
	m.fold(rows, events, func(error) {}) // the row names it
	for _, id := range ids {
		value, err := json.Marshal(rows[id])
		if err != nil {
			return fmt.Errorf("encode %s %s: %w", m.name, id, err)
		}
		if err := bucket.Put([]byte(id), value); err != nil {
			return fmt.Errorf("store %s %s: %w", m.name, id, err)
		}
	}
	return nil
}

func (m model[T, R]) damaged(id string, err error) error {
	return fmt.Errorf("the file's row of %s %s is damaged; delete the file: %w", m.name, id, err)
}
