package proof

import (
	"errors"
	"fmt"
	"math"

	"github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"
)

const (
	hashBytes    = 32
	maxNoteBytes = 8 << 10 // a checkpoint with a few dozen cosignatures
)

// Checkpoint is a log's signed word about its first Size events.
type Checkpoint struct {
	Origin string // names the log; the name of the key that signed
	Size   int64  // how many events it covers, at least one
	Root   []byte // of the Merkle tree over these events, 32 bytes
	Note   []byte // the signed note that says so
}

// OpenCheckpoint reads a signed note in the form of C2SP tlog-checkpoint and
// returns what it says if one of the verifier keys signed it. Signatures by
// other keys, such as witnesses' cosignatures, are ignored as long as there is one
// of these.
func OpenCheckpoint(signed []byte, verifiers ...string) (Checkpoint, error) {
	ring, err := newKeyring(verifiers)
	if err != nil {
		return Checkpoint{}, err
	}
	return ring.open(signed)
}

func (k *keyring) open(signed []byte) (Checkpoint, error) {
	if len(signed) > maxNoteBytes {
		return Checkpoint{}, fmt.Errorf("the checkpoint has %d bytes; the most is %d", len(signed), maxNoteBytes)
	}
	opened, err := note.Open(signed, k.known)
	if err != nil {
		return Checkpoint{}, signatureError(err)
	}
	for _, sig := range opened.Sigs {
		// note.Open takes a signature in several spellings; one is enough.
		if _, err := strictBase64.DecodeString(sig.Base64); err != nil {
			return Checkpoint{}, fmt.Errorf("the checkpoint's signature is not in its only form: %w", err)
		}
	}
	var body log.Checkpoint
	_, err = body.Unmarshal([]byte(opened.Text))
	switch {
	case err != nil:
		return Checkpoint{}, fmt.Errorf("the checkpoint is malformed: %w", err)
	case string(body.Marshal()) != opened.Text:
		// One text for one meaning: no leading zeros, no further lines.
		return Checkpoint{}, errors.New("the checkpoint is not in the only form that a log writes: origin, size and root, a line each")
	case body.Size < 1 || body.Size > math.MaxInt64 || len(body.Hash) != hashBytes:
		return Checkpoint{}, fmt.Errorf("the checkpoint has size %d and a root of %d bytes", body.Size, len(body.Hash))
	case body.Origin != k.origin:
		return Checkpoint{}, fmt.Errorf("the checkpoint is of the log %q, signed with a key of %q", body.Origin, k.origin)
	}
	return Checkpoint{Origin: body.Origin, Size: int64(body.Size), Root: body.Hash, Note: append([]byte(nil), signed...)}, nil
}

// signatureError says by which keys a note is signed, if by none that counts.
func signatureError(err error) error {
	if unknown, ok := errors.AsType[*note.UnverifiedNoteError](err); ok {
		for _, sig := range unknown.Note.UnverifiedSigs {
			return fmt.Errorf("the checkpoint is signed with the key %s+%08x, which is not trusted", sig.Name, sig.Hash)
		}
		return errors.New("the checkpoint is not signed")
	}
	return fmt.Errorf("the checkpoint's signature: %w", err)
}
