package containers_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// profile is a seccomp profile, as Docker reads it.
type profile struct {
	DefaultAction string `json:"defaultAction"`
	DefaultErrno  int    `json:"defaultErrnoRet"`
	Architectures []struct {
		Name string   `json:"architecture"`
		Subs []string `json:"subArchitectures"`
	} `json:"archMap"`
	Syscalls []struct {
		Names  []string `json:"names"`
		Action string   `json:"action"`
		Args   []struct {
			Index    int    `json:"index"`
			Value    uint64 `json:"value"`
			ValueTwo uint64 `json:"valueTwo"`
			Op       string `json:"op"`
		} `json:"args"`
		Errno    int            `json:"errnoRet"`
		Includes map[string]any `json:"includes"`
		Excludes map[string]any `json:"excludes"`
	} `json:"syscalls"`
}

// TestSeccompProfileIsDockersOwnButForNamespacesAndSockets compares the profile
// of Chromium's containers with Docker's, as the library of these tests' version
// has it.
func TestSeccompProfileIsDockersOwnButForNamespacesAndSockets(t *testing.T) {
	t.Parallel()
	module, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/docker/docker").Output()
	if err != nil {
		t.Fatal(err)
	}
	own := readProfile(t, filepath.Join(deploy, "chromium-seccomp.json"))
	dockers := readProfile(t, filepath.Join(strings.TrimSpace(string(module)), "profiles", "seccomp", "default.json"))
	if own.DefaultAction != "SCMP_ACT_ERRNO" || own.DefaultErrno != dockers.DefaultErrno {
		t.Errorf("what no rule names is answered %s %d", own.DefaultAction, own.DefaultErrno)
	}
	architectures := map[string][]string{}
	for _, a := range own.Architectures {
		architectures[a.Name] = a.Subs
	}
	// The others of a processor have system calls of other numbers, which nothing here makes.
	if diff := cmp.Diff(map[string][]string{"SCMP_ARCH_X86_64": {}, "SCMP_ARCH_AARCH64": {}}, architectures); diff != "" {
		t.Errorf("architectures (-want +got):\n%s", diff)
	}
	more := []string{
		"SCMP_ACT_ALLOW chroot",
		"SCMP_ACT_ALLOW clone SCMP_CMP_MASKED_EQ(0, 0xe020000, 0)",
		"SCMP_ACT_ALLOW socket SCMP_CMP_EQ(0, 0x1, 0)",
		"SCMP_ACT_ALLOW socket SCMP_CMP_EQ(0, 0x10, 0)",
		"SCMP_ACT_ALLOW socket SCMP_CMP_EQ(0, 0x2, 0)",
		"SCMP_ACT_ALLOW socket SCMP_CMP_EQ(0, 0xa, 0)",
		"SCMP_ACT_ALLOW unshare SCMP_CMP_MASKED_EQ(0, 0x6e020080, 0)",
	}
	if diff := cmp.Diff(more, slices.Sorted(maps.Keys(without(own.rules(), dockers.rules())))); diff != "" {
		t.Errorf("what Docker's own profile does not have (-want +got):\n%s", diff)
	}
	less := without(dockers.rules(), own.rules())
	maps.DeleteFunc(less, func(rule string, _ bool) bool {
		elsewhere := func(condition string) bool { return strings.Contains(rule, condition) }
		return slices.ContainsFunc([]string{"caps:", "s390", "ppc64le", "riscv64"}, elsewhere)
	})
	wider := []string{"SCMP_ACT_ALLOW socket SCMP_CMP_NE(0, 0x28, 0)", "SCMP_ACT_ALLOW socketcall"}
	if diff := cmp.Diff(wider, slices.Sorted(maps.Keys(less))); diff != "" {
		t.Errorf("what only Docker's own profile has (-want +got):\n%s", diff)
	}
}

func readProfile(t *testing.T, path string) profile {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var p profile
	if err := json.Unmarshal(content, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// rules are those of a profile, one a system call.
func (p profile) rules() map[string]bool {
	all := map[string]bool{}
	for _, s := range p.Syscalls {
		condition := ""
		for _, arg := range s.Args {
			condition += fmt.Sprintf(" %s(%d, %#x, %d)", arg.Op, arg.Index, arg.Value, arg.ValueTwo)
		}
		if len(s.Includes)+len(s.Excludes)+s.Errno > 0 {
			condition += fmt.Sprintf(" %v %v %d", s.Includes, s.Excludes, s.Errno)
		}
		for _, name := range s.Names {
			all[s.Action+" "+name+condition] = true
		}
	}
	return all
}

func without(these, those map[string]bool) map[string]bool {
	rest := maps.Clone(these)
	maps.DeleteFunc(rest, func(rule string, _ bool) bool { return those[rule] })
	return rest
}
