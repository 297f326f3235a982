package flowtest

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"integration.gateway/contracts"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
)

// The time limits of a step, as site.yaml writes them.
const (
	Patient   = "10000" // what the sandbox sites have
	Impatient = "4000"  // for tests in which a step waits in vain
)

// LoadSite reads the site in a folder, whose steps have a limit of ten seconds, with another limit.
func LoadSite(t testing.TB, folder fs.FS, timeout string, operations ...contracts.Entry) *flow.Site {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, path)
		if path == "site.yaml" {
			data = bytes.Replace(data, []byte("\ntimeout: "+Patient+"\n"), []byte("\ntimeout: "+timeout+"\n"), 1)
		}
		files[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	site, err := flow.Load(files, flow.ContractsOf(operations...))
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// Visit serves an application for this test alone, and plays a site's flows there for one of its users.
func Visit(t testing.TB, pool *browser.Pool, site *flow.Site, application http.Handler, username, password string) *Player {
	t.Helper()
	server := httptest.NewServer(application)
	t.Cleanup(server.Close)
	site, err := site.WithBaseURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return NewPlayer(t, pool, site, username, password)
}
