package audit

import (
	"bytes"
	"context"
	"errors"

	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/proof"
)

// storedNodes compares the subtrees that the log has stored with those that
// its events give. Wrong ones hide nothing, but bundles of a part would be
// proven by them, and an innocent event would seem to be wrong.
type storedNodes struct {
	log  *eventlog.Log
	size int64 // of the last checkpoint; later subtrees are not stored yet

	nodes []proof.Node // complete, and not compared yet
}

// add takes a subtree that the events have completed.
func (s *storedNodes) add(n proof.Node) {
	if n.Level >= proof.StoredLevel && last(n) <= s.size {
		s.nodes = append(s.nodes, n)
	}
}

// last is the seq of the last event below a node.
func last(n proof.Node) int64 { return int64(n.Index+1) << n.Level }

// verify compares what was added since the last call.
func (s *storedNodes) verify(ctx context.Context) error {
	for _, n := range s.nodes {
		stored, err := s.log.Nodes(ctx, []proof.NodeID{{Level: n.Level, Index: n.Index}})
		if err != nil && !errors.Is(err, eventlog.ErrNotFound) {
			return err
		}
		if err != nil || !bytes.Equal(stored[0], n.Hash) {
			return &proof.Finding{
				FromSeq: last(n) - 1<<n.Level + 1, ToSeq: last(n),
				Reason: "the events are as they were signed, but what the tree has stored for them was altered: bundles of a part do not verify",
			}
		}
	}
	s.nodes = s.nodes[:0]
	return nil
}
