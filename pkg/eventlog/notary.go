package eventlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"integration.gateway/pkg/proof"
)

const (
	defaultCheckpointEvents = 1000
	defaultCheckpointAge    = 10 * time.Second

	leafBatch   = 1000                   // leaves that are read at once
	unsignedGap = 250 * time.Millisecond // between two looks while events wait for their checkpoint
)

// notary extends the log's Merkle tree and signs checkpoints. All that it
// knows it reads again from the database when it starts; two notaries at once
// do no harm, since the database adds a checkpoint only to the one that its
// notary went on from. Each checkpoint is kept outside of the database first, so
// that no older one, and no other history, is ever signed. It is one of events that
// the copy holds: a log that lost its last ones has them restored from there.
type notary struct {
	log     *Log
	outside outside // where the last checkpoint is kept, too
	signer  *proof.Signer
	events  int64           // unsigned events that call for a checkpoint
	age     time.Duration   // of the first unsigned event that does
	moved   <-chan struct{} // the relay copied events
	copied  func() int64    // last event that the copy holds
	report  func(error)     // what keeps the notary from its work; nil when it works
	logger  *slog.Logger
}

// run signs until ctx ends, or until a mismatch.
func (n *notary) run(ctx context.Context) error {
	return persist(ctx, n.logger.With("task", "notary"), n.report, n.follow)
}

// growth is the tree with what it has gained since the last checkpoint.
type growth struct {
	tree   *proof.Tree
	signed int64        // size of the last checkpoint in the database
	nodes  []proof.Node // complete subtrees to store, gained since
	kept   uint64       // revision of the checkpoint that is kept outside; 0 for none
	since  time.Time    // when the first of the unsigned events was read
}

func (g *growth) unsigned() int64 { return g.tree.Size() - g.signed }

// follow goes on from the last checkpoint until something fails.
func (n *notary) follow(ctx context.Context, pauses backoff.BackOff) error {
	g, err := n.resume(ctx)
	if err != nil {
		return err
	}
	pauses.Reset()
	n.report(nil)
	for {
		more, err := n.extend(ctx, g)
		if err != nil {
			return err
		}
		switch {
		case g.unsigned() >= n.events, g.unsigned() > 0 && time.Since(g.since) >= n.age:
			err = n.sign(ctx, g)
		case !more:
			err = n.pause(ctx, g)
		}
		if err != nil {
			return err
		}
	}
}

// resume returns the tree of the last checkpoint, after a look whether the
// log is still the one that was signed.
func (n *notary) resume(ctx context.Context) (*growth, error) {
	ctx, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	kept, revision, err := n.outside.lastCheckpoint(ctx)
	if err != nil {
		return nil, err
	}
	g, last, err := n.log.resumeTree(ctx, kept)
	if err != nil {
		return nil, err
	}
	g.kept = revision
	// The verifier's first part is the key's name, which is the log's.
	if origin, _, _ := strings.Cut(last.Verifier, "+"); last.Size > 0 && origin != n.signer.Origin() {
		return nil, fmt.Errorf("the log's checkpoints are of the log %q and the signing key (CHECKPOINT_KEY) is of %q; sign with a key of the log's name",
			origin, n.signer.Origin())
	}
	if kept.Size > last.Size { // the keeper ended before the database had it
		return g, n.store(ctx, g, kept)
	}
	return g, nil
}

// extend reads the events that follow the tree and are copied, as many as the
// next checkpoint lacks and no more than a batch, and says whether there may be
// more at once.
func (n *notary) extend(ctx context.Context, g *growth) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	limit := min(n.events-g.unsigned(), leafBatch, n.copied()-g.tree.Size())
	if limit <= 0 {
		return false, nil
	}
	leaves, err := n.log.leaves(ctx, g.tree.Size(), int(limit))
	if err != nil {
		return false, err
	}
	for _, leaf := range leaves {
		if err := g.add(leaf); err != nil {
			return false, err
		}
	}
	return len(leaves) == int(limit), nil
}

func (g *growth) add(leaf leaf) error {
	if want := g.tree.Size() + 1; leaf.Seq != want {
		return fmt.Errorf("%w: event %d is missing in the log", ErrMismatch, want)
	}
	if g.unsigned() == 0 {
		g.since = time.Now()
	}
	err := g.tree.Append(leaf.Hash, func(node proof.Node) {
		if node.Level >= proof.StoredLevel {
			g.nodes = append(g.nodes, node)
		}
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	return nil
}

// sign adds a checkpoint of the tree as it is.
func (n *notary) sign(ctx context.Context, g *growth) error {
	ctx, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	root, err := g.tree.Root()
	if err != nil {
		return err
	}
	note, err := n.signer.Sign(g.tree.Size(), root)
	if err != nil {
		return err
	}
	c := SignedCheckpoint{Size: g.tree.Size(), Root: root, Verifier: n.signer.Verifier(), Note: note}
	if g.kept, err = n.outside.keepCheckpoint(ctx, c, g.kept); err != nil {
		return err
	}
	return n.store(ctx, g, c)
}

// store adds a checkpoint to the database, with the subtrees gained up to it.
func (n *notary) store(ctx context.Context, g *growth, c SignedCheckpoint) error {
	var levels []int32
	var indexes []int64
	var hashes [][]byte
	for _, node := range g.nodes {
		levels, indexes, hashes = append(levels, int32(node.Level)), append(indexes, int64(node.Index)), append(hashes, node.Hash)
	}
	_, err := n.log.pool.Exec(ctx, `SELECT add_checkpoint($1, $2, $3, $4, $5, $6, $7, $8)`,
		g.signed, c.Size, c.Root, c.Verifier, c.Note, levels, indexes, hashes)
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "EV006" {
		return fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	if err != nil {
		return fmt.Errorf("add the checkpoint of size %d: %w", c.Size, err)
	}
	g.signed, g.nodes = c.Size, nil
	return nil
}

// pause waits for the next event, or until those that wait are old enough.
func (n *notary) pause(ctx context.Context, g *growth) error {
	if g.unsigned() > 0 {
		return sleep(ctx, min(unsignedGap, n.age-time.Since(g.since)))
	}
	timer := time.NewTimer(recheckPeriod)
	defer timer.Stop()
	select {
	case <-n.moved:
		return nil
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
