package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// site runs one command line about sites, with env as the environment and as
// what settings come from.
func site(ctx context.Context, t *testing.T, env map[string]string, args ...string) output {
	t.Helper()
	input, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	vars := map[string]string{"LANG": "C"} // an empty map would be the shell's
	for name, value := range env {
		vars[name] = value
	}
	var stdout, stderr bytes.Buffer
	getenv := func(name string) string { return env[name] }
	code := run(ctx, append([]string{"site"}, args...), console{env: getenv, vars: vars, stdin: input, stdout: &stdout, stderr: &stderr})
	return output{code, stdout.String(), stderr.String()}
}

// goldenText compares a text with a file of testdata; UPDATE_GOLDEN=1 writes it.
func goldenText(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestContractsAreTables(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"contract-of-marketplace.txt":  {"contract", "marketplace"},
		"contract-of-orders.txt":       {"contract", "marketplace-business", "get-orders"},
		"contract-of-appointments.txt": {"contract", "clinic-records", "create-appointment"},
	} {
		got := site(t.Context(), t, nil, args...)
		if got.code != exitOK {
			t.Errorf("%v: %+v", args, got)
		}
		goldenText(t, name, got.stdout)
	}
	var list []operationContract
	got := site(t.Context(), t, nil, "contract", "marketplace", "search", "--json")
	if err := json.Unmarshal([]byte(got.stdout), &list); err != nil || len(list) != 1 || list[0].Request[0].Name != "query" || !list[0].Request[0].Required {
		t.Errorf("%v: %+v", err, got)
	}
}

// write makes the files of a folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const bareSite = "site: bare\nintegration: marketplace\nbaseUrl: http://127.0.0.1:1\n"

func TestEveryBadValueIsAnErrorThatHelps(t *testing.T) {
	t.Parallel()
	recordings := write(t, map[string]string{
		"search.json": `{"title": "Search", "steps": [{"type": "navigate", "url": "https://shop.example/"}]}`, "not.json": "{}",
	})
	search := recordings + "/search.json"
	bare := write(t, map[string]string{
		"site.yaml": bareSite + "operations:\n  search: {flow: s.yaml, ignores: [query, isGroceryChain]}\n  buy-now: {flow: b.yaml, ignores: [asin, itemUrl], public: true}\n",
		"s.yaml":    "steps: []", "b.yaml": "steps:\n  - {type: customStep, name: effect, parameters: {kind: order}}\n  - {type: keyDown, key: Enter}\n",
	})
	unknown := write(t, map[string]string{"site.yaml": "site: x\nintegration: nonsense\nbaseUrl: http://x\noperations: {}\n"})
	for line, c := range map[string]struct {
		code int
		want string
	}{
		"contract nonsense":                                                      {exitFailed, "there are agency,"},
		"contract marketplace nonsense":                                          {exitFailed, "there are add-to-cart,"},
		"contract":                                                               {exitUsage, "integration"},
		"schema nonsense":                                                        {exitUsage, "site"},
		"new x search=" + search:                                                 {exitUsage, "--integration"},
		"new x --integration nonsense":                                           {exitFailed, "there are agency,"},
		"new x --integration marketplace":                                        {exitFailed, "no recording is given"},
		"new x --integration marketplace " + search:                              {exitFailed, "write search="},
		"new x --integration marketplace nonsense=" + search:                     {exitFailed, "no operation"},
		"new x --integration marketplace search=/nowhere.json":                   {exitFailed, "/nowhere.json"},
		"new x --integration marketplace search=/dev/null":                       {exitFailed, "no file"},
		"new x --integration marketplace search=" + recordings + "/not.json":     {exitFailed, "not a recording"},
		"new x --integration marketplace search=" + search + " search=" + search: {exitFailed, "twice"},

		"new x --integration marketplace search=" + search + " search.reconcile=" + search: {exitFailed, "search.reconcile"},
		"new x --integration marketplace buy-now.reconcile=" + search:                      {exitFailed, "needs a recording of buy-now"},
		"new x --integration marketplace --input nonsense search=" + search:                {exitFailed, "JSON object"},
		"new x --integration marketplace --base-url nonsense search=" + search:             {exitFailed, "http"},
		"new x --integration marketplace --sign-in /nowhere":                               {exitUsage, "/nowhere"},
		"new " + bare + "/... --integration marketplace search=" + search:                  {exitFailed, "no name"},
		"new " + bare + " --integration marketplace search=" + search:                      {exitFailed, "not empty: nothing was written"},
		"probe nonsense":                                                       {exitFailed, "http"},
		"probe /page":                                                          {exitFailed, "--site"},
		"probe http://x/ --wait=-1s":                                           {exitFailed, "--wait"},
		"probe http://x/ --wait nonsense":                                      {exitUsage, "duration"},
		"probe http://x/ --username jane":                                      {exitFailed, "--site"},
		"probe http://x/ --site " + bare:                                       {exitFailed, "none of the site's origins"},
		"probe http://x/ --site " + unknown:                                    {exitFailed, "nonsense"},
		"check /nowhere":                                                       {exitUsage, "/nowhere"},
		"check " + recordings:                                                  {exitFailed, "cannot be used"},
		"check " + unknown:                                                     {exitFailed, "cannot be used"},
		"check " + bare + " --base-url ftp://x":                                {exitFailed, "ftp://x"},
		"check " + bare + " --input {\"query\":\"x\"}":                         {exitFailed, "names no operation"},
		"check " + bare + " --input nope={} --guest":                           {exitFailed, "no flow"},
		"check " + bare + " --examples":                                        {exitFailed, "--guest"},
		"check " + bare + " --password-stdin":                                  {exitFailed, "--guest"},
		"check " + bare + " --username u --guest":                              {exitUsage, "together"},
		"check " + bare + " --username u":                                      {exitFailed, "no signIn"},
		"check " + bare + " --account a --username u":                          {exitUsage, "together"},
		"run " + bare:                                                          {exitUsage, "operation"},
		"run " + bare + " nonsense":                                            {exitFailed, "buy-now, search"},
		"run " + bare + " search --input nonsense":                             {exitFailed, "JSON object such as {\"query\""},
		"run " + bare + " search --input null":                                 {exitFailed, "null"},
		"run " + bare + " search --input {}{}":                                 {exitFailed, "follows"},
		"run " + bare + " search --input {\"q\":1}":                            {exitFailed, "there are query, isGroceryChain"},
		"run " + bare + " search --input {\"query\":1}":                        {exitFailed, "expected string"},
		"run " + bare + " search":                                              {exitFailed, "query"},
		"run " + bare + " search --until nonsense":                             {exitUsage, "until"},
		"run " + bare + " search --until effect --input {\"query\":\"x\"}":     {exitFailed, "no effect"},
		"run " + bare + " search --verify-reconcile --input {\"query\":\"x\"}": {exitFailed, "no effect"},
		"run " + bare + " buy-now":                                             {exitFailed, "asin or itemUrl"},
		"run " + bare + " buy-now --input {\"asin\":\"x\"}":                    {exitFailed, "ten capital letters"},
		"run " + bare + " buy-now --input {\"asin\":\"B0CX23V2ZK\"}":           {exitFailed, "--yes"},
		"run " + bare + " buy-now --input {\"asin\":\"B0CX23V2ZK\"} --verify-reconcile --yes":          {exitFailed, "no reconcile flow"},
		"run " + bare + " buy-now --input {\"asin\":\"B0CX23V2ZK\"} --verify-reconcile --until effect": {exitFailed, "to find"},
		"run " + bare + " buy-now --input {\"asin\":\"B0CX23V2ZK\"} --yes --account a":                 {exitFailed, "no signIn"},
		"run " + bare + " search --input {\"query\":\"x\"} --headed":                                   {exitFailed, ""},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			got := site(t.Context(), t, nil, strings.Fields(line)...)
			if got.code != c.code || !strings.Contains(got.stderr, c.want) || !strings.Contains(got.stderr, "igw: ") {
				t.Errorf("got %+v, want %q", got, c.want)
			}
		})
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a folder was made in spite of it all")
	}
}

func TestSchemasArePrinted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"site", "flow"} {
		if got := site(t.Context(), t, nil, "schema", name); got.code != exitOK || !json.Valid([]byte(got.stdout)) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
