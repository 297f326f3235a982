package postgres

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// ErrNotInstalled says that this machine has no PostgreSQL server programs.
var ErrNotInstalled = errors.New("no PostgreSQL server programs (initdb, postgres) in PATH or in /usr/lib/postgresql: install the package postgresql")

// Places where Linux distributions and Homebrew keep the server's programs, which are seldom in PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/local/pgsql/bin",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
}

// Find returns the folder of the newest installed server programs: the one in PATH if there is one, otherwise the highest version
// in the usual places. It returns ErrNotInstalled when there is none.
func Find() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil && hasPrograms(filepath.Dir(target)) {
			return filepath.Dir(target), nil
		}
	}
	var found []string
	for _, place := range places {
		dirs, err := filepath.Glob(place)
		if err != nil {
			return "", err
		}
		found = append(found, slices.DeleteFunc(dirs, func(dir string) bool { return !hasPrograms(dir) })...)
	}
	if len(found) == 0 {
		return "", ErrNotInstalled
	}
	return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }), nil
}

func hasPrograms(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.IsDir() {
			return false
		}
	}
	return true
}

var firstNumber = regexp.MustCompile(`\d+`)

// version is the major version that the folder's path names, 0 when it names none.
func version(dir string) int {
	n, err := strconv.Atoi(firstNumber.FindString(dir))
	if err != nil {
		return 0
	}
	return n
}
