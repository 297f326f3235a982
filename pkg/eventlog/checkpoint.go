package eventlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"integration.gateway/pkg/proof"
)

// SignedCheckpoint is a keeper's signed word about the log's first Size
// events.
type SignedCheckpoint struct {
	Size     int64
	Root     []byte    // of the Merkle tree over these events
	Verifier string    // the public key that opens Note; older checkpoints keep theirs when the key is changed
	Note     []byte    // see proof.OpenCheckpoint
	SignedAt time.Time // by the database's clock; not part of what is signed
}

// Checkpoints returns at most limit checkpoints in the order of their sizes,
// from the first that is larger than afterSize.
func (l *Log) Checkpoints(ctx context.Context, afterSize int64, limit int) ([]SignedCheckpoint, error) {
	found, err := l.readCheckpoints(ctx, `WHERE size > $1 ORDER BY size LIMIT $2`, afterSize, limit)
	if err != nil {
		return nil, fmt.Errorf("read checkpoints after size %d: %w", afterSize, err)
	}
	return found, nil
}

// LastCheckpoint returns the largest checkpoint, or ErrNotFound.
func (l *Log) LastCheckpoint(ctx context.Context) (SignedCheckpoint, error) {
	found, err := l.readCheckpoints(ctx, `ORDER BY size DESC LIMIT 1`)
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return SignedCheckpoint{}, fmt.Errorf("read the last checkpoint: %w", err)
	}
	return found[0], nil
}

func (l *Log) readCheckpoints(ctx context.Context, which string, args ...any) ([]SignedCheckpoint, error) {
	rows, err := l.pool.Query(ctx, `SELECT size, root, verifier, note, signed_at FROM log_checkpoint `+which, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (SignedCheckpoint, error) {
		c, err := pgx.RowToStructByPos[SignedCheckpoint](row)
		c.SignedAt = c.SignedAt.UTC()
		return c, err
	})
}

// check reports where the note says something else than its row, or was not
// signed with the key that the row names.
func (c SignedCheckpoint) check() error {
	signed, err := proof.OpenCheckpoint(c.Note, c.Verifier)
	if err != nil {
		return err
	}
	if signed.Size != c.Size || !bytes.Equal(signed.Root, c.Root) {
		return errors.New("its note was signed for another size or root")
	}
	return nil
}

// matches compares the tree of the checkpoint's size with its root.
func (c SignedCheckpoint) matches(tree *proof.Tree) error {
	root, err := tree.Root()
	if err != nil {
		return err
	}
	if !bytes.Equal(root, c.Root) {
		return fmt.Errorf("%w: the root of the first %d events is %x, and the checkpoint says %x", ErrMismatch, c.Size, root, c.Root)
	}
	return nil
}
