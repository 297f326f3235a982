package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"integration.gateway/contracts/event"
)

// openLimit bounds the wait for another process that has the file open.
const openLimit = time.Second

var (
	seenBucket   = []byte("seen")   // seq of each event that was counted, by its id
	ordersBucket = []byte("orders") // number of orders by integration
)

// tally keeps the counts in a file, with the ids of all that was counted.
type tally struct{ db *bbolt.DB }

func openTally(file string) (*tally, error) {
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{Timeout: openLimit})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, fmt.Errorf("SUBSCRIBER_FILE: %s is open in another process", file)
	}
	if err != nil {
		return nil, fmt.Errorf("SUBSCRIBER_FILE: open %s: %w", file, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		_, seenErr := tx.CreateBucketIfNotExists(seenBucket)
		_, ordersErr := tx.CreateBucketIfNotExists(ordersBucket)
		return errors.Join(seenErr, ordersErr)
	})
	if err != nil {
		return nil, fmt.Errorf("SUBSCRIBER_FILE: prepare %s: %w", file, errors.Join(err, db.Close()))
	}
	return &tally{db}, nil
}

func (t *tally) close() error { return t.db.Close() }

// count adds an event's order to those of its integration, unless the event was
// counted before, and returns how many there are. Both are on disk when it
// returns, or neither.
func (t *tally) count(e event.Event) (orders uint64, isNew bool, err error) {
	err = t.db.Update(func(tx *bbolt.Tx) error {
		seen, counts := tx.Bucket(seenBucket), tx.Bucket(ordersBucket)
		id, integration := []byte(e.ID), []byte(e.Integration)
		if stored := counts.Get(integration); stored != nil {
			orders = binary.BigEndian.Uint64(stored)
		}
		if isNew = seen.Get(id) == nil; !isNew {
			return nil
		}
		orders++
		if err := seen.Put(id, binary.BigEndian.AppendUint64(nil, uint64(e.Seq))); err != nil {
			return err
		}
		return counts.Put(integration, binary.BigEndian.AppendUint64(nil, orders))
	})
	if err != nil {
		return 0, false, fmt.Errorf("count event %s: %w", e.ID, err)
	}
	return orders, isNew, nil
}
