package flow

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// SiteFile is the file of a folder that makes it a site.
const SiteFile = "site.yaml"

// A folder is written by hand: more than this is a mistake.
const (
	maxFiles      = 1000
	maxFileSize   = 1 << 20
	maxFolderSize = 8 << 20
)

// Folder is a site's folder as it was at one moment.
type Folder struct {
	Hash string // of its files: SHA-256 in hex over names and contents
	// Site and Integration are what its site.yaml must say, where they are not
	// empty.
	Site, Integration string

	files map[string][]byte
}

// Read reads the files of a folder; what is in further folders below it is left
// alone. It fails when the folder cannot be read, or is too large to be a site.
func Read(fsys fs.FS) (*Folder, error) {
	files, err := readFiles(fsys)
	if err != nil {
		return nil, fmt.Errorf("reading the site's folder: %w", err)
	}
	return &Folder{Hash: hashOf(files), files: files}, nil
}

func readFiles(fsys fs.FS) (map[string][]byte, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	if len(entries) > maxFiles {
		return nil, fmt.Errorf("it has more than %d files", maxFiles)
	}
	files, left := map[string][]byte{}, maxFolderSize
	for _, e := range entries {
		info, err := fs.Stat(fsys, e.Name())
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		data, err := readFile(fsys, e.Name())
		if err != nil {
			return nil, err
		}
		if left -= len(data); left < 0 {
			return nil, fmt.Errorf("its files are larger than %d bytes together", maxFolderSize)
		}
		files[e.Name()] = data
	}
	return files, nil
}

func readFile(fsys fs.FS, name string) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if err == nil && len(data) > maxFileSize {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxFileSize)
	}
	return data, err
}

// hashOf is over each file's name and content with their lengths, by name, so
// that no two folders look alike.
func hashOf(files map[string][]byte) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	write := func(b []byte) {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(b)))
		h.Write(length[:])
		h.Write(b)
	}
	for _, name := range names {
		write([]byte(name))
		write(files[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// place holds the names in site.yaml against those that its folder is to have.
func (r *reader) place(n *node, f *Folder) {
	for key, want := range map[string]string{"site": f.Site, "integration": f.Integration} {
		if v := n.get(key); v != nil && want != "" && v.text != "" && v.text != want {
			r.fault(v.line, "%s is %q, and this is the folder of %q", key, v.text, want)
		}
	}
}
