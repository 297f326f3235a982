package proof

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"
)

// GenerateKey makes a new Ed25519 key with which a log signs its checkpoints.
// Its name is the log's origin: no spaces and no plus signs, usually like
// "gateway.example.com/events". A key that replaces an older one gets the same
// name. The private part has the form PRIVATE+KEY+name+hash+…, the verifier,
// which is public, name+hash+….
func GenerateKey(name string) (private, verifier string, err error) {
	private, verifier, err = note.GenerateKey(rand.Reader, name)
	if err != nil {
		return "", "", fmt.Errorf("generating a checkpoint key: %w", err)
	}
	if _, err := newKeyring([]string{verifier}); err != nil {
		return "", "", fmt.Errorf("the name %q is empty, has a space or a plus sign, or is not of printable characters in UTF-8", name)
	}
	return private, verifier, nil
}

// Signer signs checkpoints of one log with one key.
type Signer struct {
	key      note.Signer
	verifier string
}

// NewSigner returns the signer of a private key from GenerateKey. The error
// never holds the key.
func NewSigner(private string) (*Signer, error) {
	key, err := note.NewSigner(private)
	if err != nil {
		return nil, errors.New("the checkpoint key is malformed; it must be a private key as `igw audit new-key` prints it, PRIVATE+KEY+…")
	}
	verifier, err := verifierOf(private)
	if err != nil {
		return nil, err
	}
	return &Signer{key: key, verifier: verifier}, nil
}

// Origin names the log: it is the key's name.
func (s *Signer) Origin() string { return s.key.Name() }

// Verifier returns the public key, name+hash+….
func (s *Signer) Verifier() string { return s.verifier }

// Sign returns the checkpoint that says that the log's first size events, at
// least one, have this root: a signed note that OpenCheckpoint reads.
func (s *Signer) Sign(size int64, root []byte) ([]byte, error) {
	if size < 1 || len(root) != hashBytes {
		return nil, fmt.Errorf("a checkpoint of %d events with a root of %d bytes cannot be signed", size, len(root))
	}
	body := log.Checkpoint{Origin: s.Origin(), Size: uint64(size), Hash: root}
	signed, err := note.Sign(&note.Note{Text: string(body.Marshal())}, s.key)
	if err != nil {
		return nil, fmt.Errorf("signing the checkpoint of size %d: %w", size, err)
	}
	return signed, nil
}

// verifierOf returns the public part of a private key that note.NewSigner has
// accepted: PRIVATE+KEY+name+hash+base64(algorithm, seed).
func verifierOf(private string) (string, error) {
	parts := strings.SplitN(private, "+", 5)
	secret, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(parts) != 5 || len(secret) != 1+ed25519.SeedSize {
		return "", errors.New("the checkpoint key is not an Ed25519 key")
	}
	public, ok := ed25519.NewKeyFromSeed(secret[1:]).Public().(ed25519.PublicKey)
	if !ok {
		return "", errors.New("the checkpoint key has no public part")
	}
	verifier, err := note.NewEd25519VerifierKey(parts[2], public)
	if err != nil {
		return "", fmt.Errorf("the checkpoint key's public part: %w", err)
	}
	return verifier, nil
}

// keyring is the set of keys that are trusted for one log.
type keyring struct {
	known     note.Verifiers
	origin    string
	verifiers []string
}

// newKeyring reads verifier keys. All must have the same name, for that is the
// log's origin.
func newKeyring(verifiers []string) (*keyring, error) {
	if len(verifiers) == 0 {
		return nil, errors.New("no key to verify checkpoints with")
	}
	ring := &keyring{}
	var list []note.Verifier
	for _, v := range verifiers {
		if slices.Contains(ring.verifiers, v) {
			continue
		}
		key, err := note.NewVerifier(v)
		if err != nil {
			return nil, fmt.Errorf("verifier key %q: %w; it must be of the form name+hash+key", v, err)
		}
		if strings.ContainsFunc(key.Name(), func(r rune) bool { return !unicode.IsPrint(r) }) {
			return nil, fmt.Errorf("verifier key %q: its name has characters that cannot be shown", v)
		}
		if ring.origin == "" {
			ring.origin = key.Name()
		}
		if key.Name() != ring.origin {
			return nil, fmt.Errorf("keys of two logs, %q and %q; verify one log at a time", ring.origin, key.Name())
		}
		ring.verifiers = append(ring.verifiers, v)
		list = append(list, key)
	}
	ring.known = note.VerifierList(list...)
	return ring, nil
}
