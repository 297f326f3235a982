package stack

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"integration.gateway/pkg/proof"
)

// logOrigin names the log of a stack in its checkpoints.
const logOrigin = "localhost/integration-gateway"

// keep returns the content of a file, and makes the file with fresh content
// when there is none. Only the owner can read it.
func keep(path string, fresh func() (string, error)) (string, error) {
	content, err := os.ReadFile(path)
	if err == nil {
		return string(bytes.TrimSpace(content)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	value, err := fresh()
	if err != nil {
		return "", err
	}
	return value, writeWhole(path, value+"\n")
}

// newAdminToken makes an admin token.
func newAdminToken() (string, error) { return "igw_admin_" + rand.Text(), nil }

// newKeeperURL makes the key-encryption key of the vault: 256 random bits, as
// a URL of gocloud.dev/secrets/localsecrets.
func newKeeperURL() (string, error) {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: see crypto/rand
	return "base64key://" + base64.URLEncoding.EncodeToString(key), nil
}

// newCheckpointKey makes the key that signs the log's checkpoints.
func newCheckpointKey() (private string, err error) {
	private, _, err = proof.GenerateKey(logOrigin)
	return private, err
}

// writeWhole writes a private file in one piece: a reader finds the old
// content or the new, never a part.
func writeWhole(path, content string) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(file.Name()))
		}
	}()
	if _, err := file.WriteString(content); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
