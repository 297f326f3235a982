package proof

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxKept bounds the checkpoints of a file that an auditor keeps.
const maxKept = 10_000

// ReadKept reads what an auditor kept: a bundle of keys and checkpoints. Each
// checkpoint must be signed with one of these keys.
func ReadKept(r io.Reader) (Trust, error) {
	in, err := newReader(r)
	if err != nil {
		return Trust{}, keptError(err)
	}
	ring, err := newKeyring(in.verifiers)
	if err != nil {
		return Trust{}, keptError(err)
	}
	trust := Trust{Verifiers: ring.verifiers}
	for {
		rec, err := in.read()
		switch {
		case err != nil:
			return Trust{}, keptError(err)
		case rec.kind == kindEnd && rec.number == 0:
			return trust, nil
		case rec.kind != kindCheckpoint:
			return Trust{}, keptError(in.malformed("a %s record: this is a bundle of a log, not what WriteKept wrote", rec.kind))
		case len(trust.Kept) == maxKept:
			return Trust{}, keptError(in.malformed("more than %d checkpoints", maxKept))
		}
		cp, err := ring.open(rec.text)
		if err != nil {
			return Trust{}, keptError(in.malformed("%v", err))
		}
		trust.Kept = append(trust.Kept, cp)
	}
}

func keptError(err error) error { return fmt.Errorf("what was kept cannot be used: %w", err) }

// WriteKept writes what an auditor keeps for the next time; see Trust.Keep. The
// file is worth as much as the care with which it is kept: whoever can change it
// can hide a change of the log.
func WriteKept(w io.Writer, trust Trust) error {
	if len(trust.Kept) > maxKept {
		return fmt.Errorf("%d checkpoints to keep; the most is %d", len(trust.Kept), maxKept)
	}
	ring, err := newKeyring(trust.Verifiers)
	if err != nil {
		return err
	}
	out, err := NewWriter(w, trust.Verifiers)
	if err != nil {
		return err
	}
	kept := slices.SortedFunc(slices.Values(trust.Kept), func(a, b Checkpoint) int { return cmp.Compare(a.Size, b.Size) })
	for _, cp := range kept {
		if _, err := ring.open(cp.Note); err != nil {
			return errors.Join(fmt.Errorf("the checkpoint of size %d cannot be kept", cp.Size), err)
		}
		if err := out.Checkpoint(cp.Note); err != nil {
			return err
		}
	}
	return out.Close()
}
