package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// owner is the user that the server runs as.
type owner struct {
	uid, gid int
	// other says that it is not the user of this process, which is root then.
	other bool
}

// chooseOwner returns the caller itself, or, for root, an ordinary user: the owner of the cluster in dataDir if there is one.
func chooseOwner(dataDir string) (owner, error) {
	if os.Geteuid() != 0 {
		return owner{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	info, err := os.Stat(dataDir)
	if err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 {
			return owner{uid: int(stat.Uid), gid: int(stat.Gid), other: true}, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return owner{}, err
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(account.Uid)
		gid, gidErr := strconv.Atoi(account.Gid)
		if uidErr != nil || gidErr != nil {
			continue
		}
		return owner{uid: uid, gid: gid, other: true}, nil
	}
	return owner{}, errors.New("PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody")
}

// take makes the owner the owner of a file or folder.
func (o owner) take(path string) error {
	if !o.other {
		return nil
	}
	return os.Chown(path, o.uid, o.gid)
}

// program prepares a server program to run as the owner on the files given, whose paths it returns as the program must be told them.
//
// Root hands the files over as open descriptors: the ordinary user may have no way to them, as to a clone in /root.
func (o owner) program(cmd *exec.Cmd, paths ...string) (told []string, release func(), err error) {
	// No variable of the caller reaches the server: PGDATA and the like would change what it does, others may be secrets.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	release = func() {
		for _, file := range cmd.ExtraFiles {
			_ = file.Close()
		}
	}
	if !o.other {
		return paths, release, nil
	}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: uint32(o.uid), Gid: uint32(o.gid)},
	}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			release()
			return nil, nil, err
		}
		// The first extra file is descriptor 3: the three standard ones come before it.
		told = append(told, fmt.Sprintf("/proc/self/fd/%d", 3+len(cmd.ExtraFiles)))
		cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	}
	return told, release, nil
}
