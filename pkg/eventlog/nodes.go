package eventlog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"integration.gateway/pkg/proof"
)

// maxNodes is more than the nodes of any one proof.
const maxNodes = 1024

var _ proof.NodeSource = (*Log)(nil)

// Nodes returns the hashes of complete subtrees of the log's Merkle tree, in
// the order of ids. Large ones are known up to the last checkpoint, small ones
// up to the log's end; any other is ErrNotFound.
func (l *Log) Nodes(ctx context.Context, ids []proof.NodeID) ([][]byte, error) {
	if len(ids) > maxNodes {
		return nil, fmt.Errorf("read %d nodes of the tree; the most is %d", len(ids), maxNodes)
	}
	stored, err := l.storedNodes(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read nodes of the tree: %w", err)
	}
	leaves, err := l.leavesBelow(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read leaves of the tree: %w", err)
	}
	hashes := make([][]byte, len(ids))
	for i, id := range ids {
		if hashes[i] = stored[id]; id.Level < proof.StoredLevel {
			hashes[i] = subtree(leaves, id)
		}
		if hashes[i] == nil {
			return nil, fmt.Errorf("%w: the tree's node at level %d, index %d", ErrNotFound, id.Level, id.Index)
		}
	}
	return hashes, nil
}

// storedNodes reads those of ids that are stored.
func (l *Log) storedNodes(ctx context.Context, ids []proof.NodeID) (map[proof.NodeID][]byte, error) {
	var levels []int16
	var indexes []int64
	for _, id := range ids {
		if id.Level >= proof.StoredLevel {
			levels, indexes = append(levels, int16(id.Level)), append(indexes, int64(id.Index))
		}
	}
	nodes := make(map[proof.NodeID][]byte, len(levels))
	if len(levels) == 0 {
		return nodes, nil
	}
	rows, err := l.pool.Query(ctx, `
		SELECT n.level, n.index, n.hash FROM unnest($1::smallint[], $2::bigint[]) AS want (level, index)
			JOIN log_node n USING (level, index)`, levels, indexes)
	if err != nil {
		return nil, err
	}
	var level int16
	var index int64
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&level, &index, &hash}, func() error {
		nodes[proof.NodeID{Level: uint(level), Index: uint64(index)}] = hash
		return nil
	})
	return nodes, err
}

// leavesBelow reads the events' hashes, by seq, of those of ids that are not
// stored.
func (l *Log) leavesBelow(ctx context.Context, ids []proof.NodeID) (map[int64][]byte, error) {
	var seqs []int64
	for _, id := range ids {
		if id.Level < proof.StoredLevel {
			for seq := range int64(1) << id.Level {
				seqs = append(seqs, int64(id.Index<<id.Level)+seq+1)
			}
		}
	}
	leaves := make(map[int64][]byte, len(seqs))
	if len(seqs) == 0 {
		return leaves, nil
	}
	rows, err := l.pool.Query(ctx, `SELECT seq, hash FROM log WHERE seq = ANY($1)`, seqs)
	if err != nil {
		return nil, err
	}
	var seq int64
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&seq, &hash}, func() error {
		leaves[seq] = hash
		return nil
	})
	return leaves, err
}

// subtree computes a complete subtree's hash, nil if a leaf is missing.
func subtree(leaves map[int64][]byte, id proof.NodeID) []byte {
	if id.Level == 0 {
		if leaf := leaves[int64(id.Index)+1]; leaf != nil {
			return proof.HashLeaf(leaf)
		}
		return nil
	}
	left := subtree(leaves, proof.NodeID{Level: id.Level - 1, Index: 2 * id.Index})
	right := subtree(leaves, proof.NodeID{Level: id.Level - 1, Index: 2*id.Index + 1})
	if left == nil || right == nil {
		return nil
	}
	return proof.HashChildren(left, right)
}

// resumeTree returns the tree of the last checkpoint, built from what is stored,
// and that checkpoint. Kept is the last one that is known outside of the
// database, zero for none: where it is larger, the tree has grown to its size.
// ErrMismatch says that the log is not what was signed: somebody has changed it,
// or it was rolled back. Without a checkpoint all is empty.
func (l *Log) resumeTree(ctx context.Context, kept SignedCheckpoint) (*growth, SignedCheckpoint, error) {
	last, err := l.LastCheckpoint(ctx)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, SignedCheckpoint{}, err
	}
	g := &growth{tree: proof.NewTree(), signed: last.Size}
	if last.Size > 0 {
		if err := last.check(); err != nil {
			return nil, SignedCheckpoint{}, fmt.Errorf("%w: the checkpoint of size %d: %w", ErrMismatch, last.Size, err)
		}
		if g.tree, err = l.signedTree(ctx, last); err != nil {
			return nil, SignedCheckpoint{}, err
		}
	}
	if kept.Size > last.Size {
		return g, last, l.grow(ctx, g, kept)
	}
	if kept.Size > 0 {
		if _, err := l.signedTree(ctx, kept); err != nil {
			return nil, SignedCheckpoint{}, err
		}
	}
	return g, last, nil
}

// signedTree builds the tree of a checkpoint, which is not beyond the last one
// that is stored, and compares it with what was signed.
func (l *Log) signedTree(ctx context.Context, c SignedCheckpoint) (*proof.Tree, error) {
	ids := proof.ResumeNodes(c.Size)
	hashes, err := l.Nodes(ctx, ids)
	if errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("%w: below the checkpoint of size %d: %w", ErrMismatch, c.Size, err)
	}
	if err != nil {
		return nil, err
	}
	nodes := make([]proof.Node, len(ids))
	for i, id := range ids {
		nodes[i] = proof.Node{Level: id.Level, Index: id.Index, Hash: hashes[i]}
	}
	tree, err := proof.ResumeTree(c.Size, nodes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	return tree, c.matches(tree)
}

// grow extends the tree to a checkpoint that is not stored, and compares it with
// what was signed.
func (l *Log) grow(ctx context.Context, g *growth, c SignedCheckpoint) error {
	for g.tree.Size() < c.Size {
		leaves, err := l.leaves(ctx, g.tree.Size(), int(min(c.Size-g.tree.Size(), leafBatch)))
		if err != nil {
			return err
		}
		if len(leaves) == 0 {
			return fmt.Errorf("%w: a checkpoint of size %d was signed, and the log ends at %d; was the database restored to an earlier time?",
				ErrMismatch, c.Size, g.tree.Size())
		}
		for _, leaf := range leaves {
			if err := g.add(leaf); err != nil {
				return err
			}
		}
	}
	return c.matches(g.tree)
}
