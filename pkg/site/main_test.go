package site

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"integration.gateway/contracts"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// text is a site.yaml.
func text(name, baseURL string) string {
	return "site: " + name + "\nintegration: marketplace\nbaseUrl: " + baseURL + "\noperations: {}\n"
}

// install is a service with an embedded site, the sandbox, and an operator who
// fills a folder.
type install struct {
	*testing.T
	dir string
	set *Set
	log journal
}

// opened starts a service on what is in the folder by then.
func (in *install) opened() *install {
	in.Helper()
	var err error
	if in.set, err = Open(in.config()); err != nil {
		in.Fatal(err)
	}
	return in
}

func (in *install) config() Config {
	return Config{
		Integration: "marketplace", Contracts: flow.ContractsOf(marketplace.Operations...), Dir: in.dir, Default: "sandbox",
		Embedded: fstest.MapFS{
			"sandbox/site.yaml": {Data: []byte(text("sandbox", "http://embedded.example"))},
			"sandbox_test.go":   {},
		},
		Logger: slog.New(slog.NewTextHandler(&in.log, nil)),
	}
}

func newInstall(t *testing.T) *install {
	t.Helper()
	return &install{T: t, dir: t.TempDir()}
}

func (in *install) must(err error) {
	in.Helper()
	if err != nil {
		in.Fatal(err)
	}
}

// write writes a file below the integration's folder.
func (in *install) write(file, content string) {
	in.Helper()
	path := filepath.Join(in.dir, "marketplace", file)
	in.must(os.MkdirAll(filepath.Dir(path), 0o755))
	in.must(os.WriteFile(path, []byte(content), 0o644))
}

func (in *install) remove(name string) {
	in.Helper()
	in.must(os.RemoveAll(filepath.Join(in.dir, "marketplace", name)))
}

// look makes so many looks.
func (in *install) look(times int) {
	in.Helper()
	for range times {
		in.must(in.set.look(false))
	}
}

// expect wants a site to be at a base URL.
func (in *install) expect(name, baseURL string) {
	in.Helper()
	got, err := in.set.Get(name)
	if err != nil {
		in.Errorf("%s: %v", name, err)
	} else if got.BaseURL != baseURL {
		in.Errorf("%s is at %s, want %s", name, got.BaseURL, baseURL)
	}
}

// expectNone wants a site not to be there, in so many words.
func (in *install) expectNone(name, words string) {
	in.Helper()
	_, err := in.set.Get(name)
	var e *contracts.Error
	if !errors.As(err, &e) || e.Kind != contracts.NotImplemented || !strings.Contains(e.Message, words) {
		in.Errorf("%s: got %v, want %q", name, err, words)
	}
}

// expectLog wants so many lines of the log to have a text in them.
func (in *install) expectLog(lines int, text string) {
	in.Helper()
	if log := in.log.String(); strings.Count(log, text) != lines {
		in.Errorf("the log has not %d times %q:\n%s", lines, text, log)
	}
}

// journal is a log.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
