package eventlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// The last checkpoint is kept in a bucket of JetStream, outside of the
// database that it guards: a database that was rolled back would otherwise have
// its old state signed again, with another history.
const (
	checkpointBucket = "CHECKPOINT"
	checkpointKey    = "last"
)

// openBucket makes the bucket of the last checkpoint if there is none.
func (v evidence) openBucket(ctx context.Context, replicas int) error {
	_, err := v.js.KeyValue(ctx, checkpointBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		_, err = v.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: checkpointBucket, Description: "The event log's last checkpoint.", Storage: jetstream.FileStorage, Replicas: replicas,
		})
	}
	if err != nil {
		return fmt.Errorf("open bucket %s: %w", checkpointBucket, explain(err))
	}
	return nil
}

// lastCheckpoint returns the last checkpoint that was signed and its revision;
// zero for none.
func (v evidence) lastCheckpoint(ctx context.Context) (c SignedCheckpoint, revision uint64, err error) {
	bucket, err := v.js.KeyValue(ctx, checkpointBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return c, 0, nil
	}
	if err != nil {
		return c, 0, fmt.Errorf("open bucket %s: %w", checkpointBucket, explain(err))
	}
	entry, err := bucket.Get(ctx, checkpointKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return c, 0, nil
	}
	if err != nil {
		return c, 0, fmt.Errorf("read the last checkpoint in bucket %s: %w", checkpointBucket, err)
	}
	err = json.Unmarshal(entry.Value(), &c)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return c, 0, fmt.Errorf("%w: the last checkpoint in bucket %s: %w", ErrMismatch, checkpointBucket, err)
	}
	return c, entry.Revision(), nil
}

// keepCheckpoint replaces the last checkpoint, if that still has the revision
// given; 0 for none.
func (v evidence) keepCheckpoint(ctx context.Context, c SignedCheckpoint, revision uint64) (uint64, error) {
	bucket, err := v.js.KeyValue(ctx, checkpointBucket)
	if err != nil {
		return 0, fmt.Errorf("open bucket %s: %w", checkpointBucket, err)
	}
	value, err := json.Marshal(c)
	if err != nil {
		return 0, err
	}
	revision, err = bucket.Update(ctx, checkpointKey, value, revision)
	if err != nil {
		return 0, fmt.Errorf("keep the checkpoint of size %d in bucket %s: %w", c.Size, checkpointBucket, explain(err))
	}
	return revision, nil
}
