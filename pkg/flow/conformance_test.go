package flow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/goccy/go-yaml"

	"integration.gateway/pkg/flow"
)

// fixture is one rule of the format, shown by a page and a flow. Its README
// tells what each key means.
type fixture struct {
	Rule      string
	Operation string         // of the marketplace, whose contract then holds; else "op", without one
	Site      map[string]any // these four are read as text, for their line numbers
	Flows     map[string]any
	Steps     any
	Flow      any
	Request   map[string]any
	Vars      map[string]any
	Account   *struct {
		Username, Password string
		OneTimeSecret      string `yaml:"oneTimeSecret"`
		Session            map[string]any
		Proven             bool // signed in a moment ago, or so they say
	}
	Want      any
	Fails     string
	Outcome   flow.Outcome
	Faults    []string
	Elsewhere string // "reached" where a foreign origin may be visited

	text  string // of the whole file, addresses filled in
	files fstest.MapFS
}

const conformance = "testdata/conformance"

func TestConformance(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	pages := newFixturePages(t, ctx)
	err := filepath.WalkDir(conformance, func(path string, _ fs.DirEntry, err error) error {
		if name, is := strings.CutSuffix(path, ".yaml"); is {
			t.Run(strings.TrimPrefix(filepath.ToSlash(name), conformance+"/"), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				conform(ctx, t, pages, name)
			})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// conform plays one fixture.
func conform(ctx context.Context, t *testing.T, pages *fixturePages, name string) {
	t.Helper()
	server := newFixtureServer(t, name)
	f := readFixture(t, name, server)
	var contracts flow.Contracts
	if f.Operation == "" {
		f.Operation = "op"
	} else {
		contracts = shopContracts
	}
	f.addFiles(t, name, server)
	site, err := flow.Load(f.files, contracts)
	if f.Faults != nil {
		f.checkFaults(t, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	page := pages.lease(ctx, t, server)
	result, trace, err := site.Play(ctx, page.Rod(), f.job(t))
	f.check(t, result, err)
	if trace.Unclean != nil {
		t.Errorf("the page was not given back clean: %v", trace.Unclean)
	}
	server.checkElsewhere(t, f.Elsewhere == "reached")
}

func readFixture(t *testing.T, name string, server *fixtureServer) *fixture {
	t.Helper()
	f := &fixture{text: string(server.file(t, name+".yaml"))}
	if err := yaml.UnmarshalWithOptions([]byte(f.text), f, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	ends := 0
	for _, is := range []bool{f.Want != nil, f.Fails != "", f.Faults != nil} {
		if is {
			ends++
		}
	}
	if f.Rule == "" || ends != 1 {
		t.Fatal("a fixture has a rule, and one of want, fails and faults")
	}
	return f
}

// addFiles makes the site's folder. What the fixture holds of a file keeps its
// lines there, so that a fault is told with the fixture's own line.
func (f *fixture) addFiles(t *testing.T, name string, server *fixtureServer) {
	t.Helper()
	f.files = fstest.MapFS{}
	parts := sections(f.text)
	for file, part := range sections(parts["flows"].value()) {
		f.files[file] = &fstest.MapFile{Data: []byte(part.value())}
	}
	file, text := "op.yaml", parts["flow"].value()
	if parts["steps"].line > 0 {
		text = parts["steps"].whole()
	}
	if export := name + ".flow.json"; server.has(export) {
		f.files["recording.json"] = &fstest.MapFile{Data: server.file(t, export)}
	}
	if text == "" {
		file = "recording.json"
	} else {
		f.files[file] = &fstest.MapFile{Data: []byte(text)}
	}
	site := parts["site"].value()
	format := "\n%s: %s"
	if strings.HasPrefix(strings.TrimSpace(site), "{") {
		site, format = strings.TrimSuffix(strings.TrimSpace(site), "}"), ", %s: %s"
	}
	for _, further := range []struct{ key, value string }{
		{"site", "fixture"},
		{"integration", "marketplace"},
		{"baseUrl", `"` + server.base + `"`},
		{"origins", `["` + server.other + `"]`},
		{"timeout", "3000"},
		{"operations", "{" + f.Operation + ": {flow: " + file + "}}"},
	} {
		if _, given := f.Site[further.key]; !given {
			site += fmt.Sprintf(format, further.key, further.value)
		}
	}
	if format[0] == ',' {
		site += "}"
	}
	f.files["site.yaml"] = &fstest.MapFile{Data: []byte(site)}
}

// section is a key of a document and what stands under it.
type section struct {
	line int      // of the key; 0: there is none
	key  string   // with its colon
	head string   // what follows on the same line
	body []string // the lines below
}

var sectionKey = regexp.MustCompile(`^([A-Za-z][\w.-]*):(\s.*)?$`)

// sections takes a document apart at its outermost keys.
func sections(text string) map[string]section {
	all := map[string]section{}
	var name string
	for i, line := range strings.Split(text, "\n") {
		if match := sectionKey.FindStringSubmatch(line); match != nil {
			name = match[1]
			all[name] = section{line: i + 1, key: name + ":", head: strings.TrimSpace(match[2])}
		} else if s := all[name]; s.line > 0 {
			s.body = append(s.body, line)
			all[name] = s
		}
	}
	return all
}

// value is what stands under the key, as a document with the same lines.
func (s section) value() string {
	if s.line == 0 {
		return ""
	}
	indent := math.MaxInt
	for _, line := range s.body {
		if trimmed := strings.TrimLeft(line, " "); trimmed != "" {
			indent = min(indent, len(line)-len(trimmed))
		}
	}
	lines := []string{strings.TrimSuffix(s.head, "|")}
	for _, line := range s.body {
		lines = append(lines, line[min(indent, len(line)-len(strings.TrimLeft(line, " "))):])
	}
	return strings.Repeat("\n", s.line-1) + strings.Join(lines, "\n")
}

// whole is the section with its key.
func (s section) whole() string {
	return strings.Repeat("\n", s.line-1) + s.key + " " + s.head + "\n" + strings.Join(s.body, "\n")
}

func (f *fixture) job(t *testing.T) flow.Job {
	t.Helper()
	request, err := flow.Flat(f.Request) // numbers as a caller's JSON brings them
	if err != nil {
		t.Fatal(err)
	}
	job := flow.Job{
		Operation: f.Operation, Request: request, Vars: f.Vars,
		CommandID: "0199a0b4-7c1e-7000-8000-00000000c0de", StartedAt: time.Date(2026, 3, 7, 9, 30, 0, 0, time.UTC),
	}
	if a := f.Account; a != nil {
		var at time.Time
		if a.Proven {
			at = time.Now()
		}
		job.Account = &flow.Account{ProvenAt: at, Session: a.Session, Credentials: func(context.Context) (flow.Credentials, error) {
			return flow.Credentials{Username: a.Username, Password: a.Password, OneTimeSecret: a.OneTimeSecret}, nil
		}}
	}
	return job
}

// check holds what a playing gave against what the fixture says.
func (f *fixture) check(t *testing.T, result []byte, err error) {
	t.Helper()
	if f.Fails == "" {
		want, marshalErr := json.Marshal(f.Want)
		if marshalErr != nil {
			t.Fatal(marshalErr)
		}
		if err != nil || !sameJSON(t, string(result), string(want)) {
			t.Errorf("%s\n got %s, %v\nwant %s", f.Rule, result, err, want)
		}
		return
	}
	var failure *flow.Failure
	if !errors.As(err, &failure) || !strings.Contains(err.Error(), f.Fails) || failure.Outcome != f.Outcome {
		t.Errorf("%s\n got %s, %v (%+v)\nwant the failure %s %s", f.Rule, result, err, failure, f.Fails, f.Outcome)
	}
}

func (f *fixture) checkFaults(t *testing.T, err error) {
	t.Helper()
	var faults flow.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("%s\nLoad found no faults: %v", f.Rule, err)
	}
	for _, want := range f.Faults {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", f.Rule, err, want)
		}
	}
}

// addSeeds gives a fuzz target what the fixtures have under a key, which is
// every step type and every key of a site; and the recordings.
func addSeeds(f *testing.F, key string) {
	f.Helper()
	err := filepath.WalkDir(conformance, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" && !strings.HasSuffix(path, ".flow.json") {
			return err
		}
		text, err := os.ReadFile(filepath.FromSlash(path))
		if part := sections(string(text))[key]; part.line > 0 && key == "site" {
			f.Add([]byte(siteHead + part.value()))
		} else if part.line > 0 {
			f.Add([]byte(part.whole()))
		} else if filepath.Ext(path) == ".json" && key == "steps" {
			f.Add(text)
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
}
