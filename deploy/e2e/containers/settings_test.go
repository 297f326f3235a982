package containers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestASecretThatCannotBeMadeIsNotWritten runs compose-env with a docker that
// makes no key: an empty one would be kept for good.
func TestASecretThatCannotBeMadeIsNotWritten(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join(deploy, "compose-env"))
	if err != nil {
		t.Fatal(err)
	}
	const name = "#!/bin/sh\necho name\n"
	for answer, docker := range map[string]string{"fails": "#!/bin/sh\nexit 1\n", "says nothing": "#!/bin/sh\necho '{}'\n"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for path, content := range map[string]string{
				"compose-env": string(script), "images/programs": name, "images/postgres": name, "bin/docker": docker,
			} {
				path = filepath.Join(folder, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), filepath.Join(folder, "compose-env"))
			cmd.Env = append(os.Environ(), "PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"))
			output, err := cmd.CombinedOutput()
			if err == nil {
				t.Errorf("it succeeds: %s", output)
			}
			settings, err := os.ReadFile(filepath.Join(folder, ".env"))
			if err != nil || !strings.Contains(string(settings), "POSTGRES_PASSWORD=") || strings.Contains(string(settings), "CHECKPOINT_KEY") {
				t.Errorf("the settings have a key that nobody made, or not even a password: %v", err)
			}
		})
	}
}
