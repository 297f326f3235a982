package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"integration.gateway/pkg/flow"
)

// sitesDir makes a SITES_DIR of site.yaml files by their folders, each with a
// flow that its operation can name.
func sitesDir(t *testing.T, sites map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for folder, text := range sites {
		path := filepath.Join(dir, filepath.FromSlash(folder))
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"site.yaml": text, "search.yaml": "steps: []"} {
			if err := os.WriteFile(filepath.Join(path, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

const cornerShop = "site: corner-shop\nintegration: marketplace\nbaseUrl: https://corner.example\n" +
	"operations:\n  search: {flow: search.yaml, ignores: [query, isGroceryChain]}\n"

func TestInstalledSitesAreListedAsTheServicesLoadThem(t *testing.T) {
	t.Parallel()
	dir := sitesDir(t, map[string]string{
		"marketplace/corner-shop": cornerShop,
		"marketplace/Mall":        strings.Replace(cornerShop, "corner-shop", "Mall", 1),
		"marketplace/sandbox":     strings.Replace(cornerShop, "corner-shop", "sandbox", 1) + "speed: high\n",
		"dealer-sales/lot":        "site: lot\nintegration: dealer-sales\nbaseUrl: https://lot.example\noperations: {}\n",
	})
	env := map[string]string{"SITES_DIR": dir, "SITE_URLS": "corner-shop=https://other.example"}
	got := site(t.Context(), t, env, "list", "--integration", "marketplace", "--json")
	expect(t, got, exitFailed, "refused")
	var listed []installedSite
	if err := json.Unmarshal([]byte(got.stdout), &listed); err != nil {
		t.Fatalf("%v in %s", err, got.stdout)
	}
	none := []string{}
	want := []installedSite{
		{
			Integration: "marketplace", Site: "Mall", Folder: filepath.Join(dir, "marketplace", "Mall"), Operations: none, Missing: none,
			Faults: []foundFault{{File: "Mall", Text: "a site's name is made of small letters, digits and single hyphens, at most 100"}},
		},
		{
			Integration: "marketplace", Site: "corner-shop", BaseURL: "https://other.example", Folder: filepath.Join(dir, "marketplace", "corner-shop"),
			Operations: []string{"search"}, Missing: []string{"add-to-cart", "buy-again", "buy-now", "create-session"}, Faults: []foundFault{},
		},
		{
			Integration: "marketplace", Site: "sandbox", Folder: filepath.Join(dir, "marketplace", "sandbox"), Operations: none, Missing: none,
			Faults: []foundFault{{File: "site.yaml", Line: 6, Text: `unknown key "speed" in the site`}},
		},
	}
	if diff := cmp.Diff(want, listed, cmpopts.IgnoreFields(installedSite{}, "Hash")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(listed[1].Hash) != 64 || listed[2].Hash != "" {
		t.Errorf("the hashes are %q and %q", listed[1].Hash, listed[2].Hash)
	}

	// Without --integration those of all, none at the other address.
	expect(t, site(t.Context(), t, env, "list"), exitFailed, "dealer-sales/lot", "https://lot.example", "https://corner.example",
		"site.yaml:6: unknown key", "carries out  search\n", "does not     add-to-cart, ")
}

// TestSitesThatAreBuiltInAreListed looks for the folders of every service here,
// so that no service is forgotten.
func TestSitesThatAreBuiltInAreListed(t *testing.T) {
	t.Parallel()
	got := site(t.Context(), t, nil, "list")
	expect(t, got, exitOK, "from         built in\n")
	folders, err := filepath.Glob("../../../services/*/sites/*/site.yaml")
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, file := range folders {
		folder, err := flow.Load(os.DirFS(filepath.Dir(file)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if name := folder.Integration + "/" + folder.Name; !strings.Contains(got.stdout, "site         "+name+"\n") {
			t.Errorf("%s is not listed in\n%s", name, got.stdout)
		}
	}
}

func TestAListThatCannotBeMadeSaysWhy(t *testing.T) {
	t.Parallel()
	expect(t, site(t.Context(), t, map[string]string{"SITES_DIR": "/nowhere"}, "list"), exitFailed, "SITES_DIR", "/nowhere")
	expect(t, site(t.Context(), t, nil, "list", "--integration", "nonsense"), exitFailed, "there are agency,")
	expect(t, site(t.Context(), t, map[string]string{"SITE_URLS": "mall=https://mall.example"}, "list", "--integration", "marketplace"), exitFailed, "there is no site mall")
}
