package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// maxProofHashes is more than any proof has: a tree of 2^63 events has 63 levels.
const maxProofHashes = 64

// NodeSource gives the hashes of complete subtrees, in the order of ids.
type NodeSource interface {
	Nodes(ctx context.Context, ids []NodeID) ([][]byte, error)
}

// Inclusion returns the proof that the event with this seq is among the log's
// first size events, for VerifyInclusion.
func Inclusion(ctx context.Context, src NodeSource, seq, size int64) ([][]byte, error) {
	if seq < 1 || seq > size {
		return nil, fmt.Errorf("no inclusion proof: event %d is not among the first %d", seq, size)
	}
	nodes, err := proof.Inclusion(uint64(seq-1), uint64(size))
	if err != nil {
		return nil, fmt.Errorf("inclusion proof of event %d: %w", seq, err)
	}
	return build(ctx, src, nodes)
}

// Consistency returns the proof that the log's first to events begin with what
// were its first from events, for VerifyConsistency.
func Consistency(ctx context.Context, src NodeSource, from, to int64) ([][]byte, error) {
	if from < 1 || from > to {
		return nil, fmt.Errorf("no consistency proof from %d to %d events", from, to)
	}
	nodes, err := proof.Consistency(uint64(from), uint64(to))
	if err != nil {
		return nil, fmt.Errorf("consistency proof from %d to %d: %w", from, to, err)
	}
	return build(ctx, src, nodes)
}

func build(ctx context.Context, src NodeSource, nodes proof.Nodes) ([][]byte, error) {
	if len(nodes.IDs) == 0 {
		return nil, nil
	}
	hashes, err := src.Nodes(ctx, nodes.IDs)
	if err != nil {
		return nil, fmt.Errorf("reading %d nodes of the tree: %w", len(nodes.IDs), err)
	}
	proven, err := nodes.Rehash(hashes, HashChildren)
	if err != nil {
		return nil, fmt.Errorf("building a proof: %w", err)
	}
	return proven, nil
}

// VerifyInclusion reports whether the proof shows that the event with this seq
// and hash is among those that the checkpoint covers.
func VerifyInclusion(cp Checkpoint, seq int64, eventHash []byte, hashes [][]byte) error {
	if seq < 1 || seq > cp.Size {
		return fmt.Errorf("event %d is not among the %d of the checkpoint", seq, cp.Size)
	}
	if err := wellFormed(append([][]byte{eventHash, cp.Root}, hashes...)); err != nil {
		return err
	}
	root, err := proof.RootFromInclusionProof(rfc6962.DefaultHasher, uint64(seq-1), uint64(cp.Size), HashLeaf(eventHash), hashes)
	if err != nil {
		return fmt.Errorf("the inclusion proof is malformed: %w", err)
	}
	if !bytes.Equal(root, cp.Root) {
		return fmt.Errorf("the inclusion proof does not lead to the root of the checkpoint of size %d", cp.Size)
	}
	return nil
}

// VerifyConsistency reports whether the proof shows that the log of the later
// checkpoint begins with all events of the earlier one, unchanged.
func VerifyConsistency(from, to Checkpoint, hashes [][]byte) error {
	if from.Size < 1 || from.Size > to.Size {
		return fmt.Errorf("a log cannot grow from %d events to %d", from.Size, to.Size)
	}
	if err := wellFormed(append([][]byte{from.Root, to.Root}, hashes...)); err != nil {
		return err
	}
	err := proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(from.Size), uint64(to.Size), hashes, from.Root, to.Root)
	if _, mismatch := errors.AsType[proof.RootMismatchError](err); mismatch {
		return fmt.Errorf("the consistency proof does not lead from the root of size %d to that of size %d", from.Size, to.Size)
	}
	if err != nil {
		return fmt.Errorf("the consistency proof is malformed: %w", err)
	}
	return nil
}

// wellFormed refuses what is not a hash, before it is hashed as a part of a node.
func wellFormed(hashes [][]byte) error {
	if len(hashes) > 2+maxProofHashes {
		return fmt.Errorf("a proof of %d hashes; the most is %d", len(hashes)-2, maxProofHashes)
	}
	for _, h := range hashes {
		if len(h) != hashBytes {
			return fmt.Errorf("a hash of %d bytes, not %d", len(h), hashBytes)
		}
	}
	return nil
}
