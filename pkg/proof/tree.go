package proof

import (
	"crypto/sha256"
	"fmt"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

// StoredLevel is the level from which up complete subtrees are worth storing.
// Those below are computed again from at most 2^StoredLevel leaves.
const StoredLevel = 8

// NodeID names a complete subtree of the log's Merkle tree: the subtree over the
// 2^Level leaves from Index·2^Level on. Leaf i belongs to the event with seq i+1.
type NodeID = compact.NodeID

// Node is a complete subtree with its hash. It never changes, however the log
// grows.
type Node struct {
	Level uint
	Index uint64
	Hash  []byte
}

// Tree is the Merkle tree (RFC 6962) over the hashes of a log's events. It
// holds only what its growth needs, about one hash for each bit of its size.
type Tree struct {
	leaves *compact.Range
}

var ranges = compact.RangeFactory{Hash: HashChildren}

// NewTree returns the empty tree.
func NewTree() *Tree { return &Tree{leaves: ranges.NewEmptyRange(0)} }

// ResumeNodes returns the complete subtrees that make up the tree of this size,
// from left to right. ResumeTree needs their hashes.
func ResumeNodes(size int64) []NodeID {
	return compact.RangeNodes(0, uint64(max(size, 0)), nil)
}

// ResumeTree returns the tree of the log's first size events from its complete
// subtrees, which must be those of ResumeNodes, in any order.
func ResumeTree(size int64, nodes []Node) (*Tree, error) {
	byID := make(map[NodeID][]byte, len(nodes))
	for _, n := range nodes {
		byID[NodeID{Level: n.Level, Index: n.Index}] = n.Hash
	}
	ids := ResumeNodes(size)
	hashes := make([][]byte, len(ids))
	for i, id := range ids {
		if hashes[i] = byID[id]; len(hashes[i]) != hashBytes {
			return nil, fmt.Errorf("resuming the tree of size %d: the node at level %d, index %d is missing or not a hash", size, id.Level, id.Index)
		}
	}
	leaves, err := ranges.NewRange(0, uint64(max(size, 0)), hashes)
	if err != nil {
		return nil, fmt.Errorf("resuming the tree of size %d: %w", size, err)
	}
	return &Tree{leaves: leaves}, nil
}

// Append adds the next event by its hash (event.Hash). It calls complete, if that
// is not nil, with every subtree that the event completes, from its own leaf
// (level 0) up. The tree does not keep eventHash.
func (t *Tree) Append(eventHash []byte, complete func(Node)) error {
	if len(eventHash) != hashBytes {
		return fmt.Errorf("event %d has a hash of %d bytes, not %d", t.Size()+1, len(eventHash), hashBytes)
	}
	var visit compact.VisitFn
	if complete != nil {
		visit = func(id NodeID, hash []byte) { complete(Node{Level: id.Level, Index: id.Index, Hash: hash}) }
	}
	if err := t.leaves.Append(HashLeaf(eventHash), visit); err != nil {
		return fmt.Errorf("appending event %d to the tree: %w", t.Size()+1, err)
	}
	return nil
}

// Size returns how many events the tree has.
func (t *Tree) Size() int64 { return int64(t.leaves.End()) }

// Root returns the root hash of the tree as it is now.
func (t *Tree) Root() ([]byte, error) {
	if t.Size() == 0 {
		return rfc6962.DefaultHasher.EmptyRoot(), nil
	}
	root, err := t.leaves.GetRootHash(nil)
	if err != nil {
		return nil, fmt.Errorf("computing the root of %d events: %w", t.Size(), err)
	}
	return root, nil
}

// HashLeaf returns the leaf of an event in the tree, from the event's hash. It is
// rfc6962's, with a quarter of its cost, for it allocates no state.
func HashLeaf(eventHash []byte) []byte {
	var in [1 + hashBytes]byte
	in[0] = rfc6962.RFC6962LeafHashPrefix
	copy(in[1:], eventHash)
	sum := sha256.Sum256(in[:])
	return sum[:]
}

// HashChildren returns the hash of the node over two others; see HashLeaf.
func HashChildren(left, right []byte) []byte {
	var in [1 + 2*hashBytes]byte
	in[0] = rfc6962.RFC6962NodeHashPrefix
	copy(in[1:], left)
	copy(in[1+hashBytes:], right)
	sum := sha256.Sum256(in[:])
	return sum[:]
}
