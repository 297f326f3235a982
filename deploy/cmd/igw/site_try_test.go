package main

import (
	"context"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/accounts"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/vault"
	"integration.gateway/services/marketplace/sandbox"
)

// newShop opens a shop, and copies the folder that points at it.
func newShop(t *testing.T) (shop *sandbox.Shop, url, folder string) {
	t.Helper()
	testenv.Chromium(t)
	shop = sandbox.New()
	server := httptest.NewServer(shop)
	t.Cleanup(server.Close)
	folder = filepath.Join(t.TempDir(), "sandbox")
	if err := os.CopyFS(folder, os.DirFS("../../../services/marketplace/sites/sandbox")); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(folder, "site.yaml"), "baseUrl: http://127.0.0.1:8301", "baseUrl: "+server.URL, "timeout: 10000", "timeout: 3000")
	return shop, server.URL, folder
}

// edit replaces texts in a file, each of which must be there.
func edit(t *testing.T, path string, oldNew ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(string(text), oldNew[i]) {
			t.Fatalf("%q is not in %s:\n%s", oldNew[i], path, text)
		}
	}
	if err := os.WriteFile(path, []byte(strings.NewReplacer(oldNew...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
}

// jane signs in.
var jane = map[string]string{"IGW_PASSWORD": sandbox.Jane.Password}

const janesName = "jane.roe@example.com"

func expect(t *testing.T, got output, code int, texts ...string) {
	t.Helper()
	if got.code != code {
		t.Errorf("exit code %d, want %d\n%s%s", got.code, code, got.stdout, got.stderr)
	}
	for _, text := range texts {
		if !strings.Contains(got.stdout+got.stderr, text) {
			t.Errorf("%q is not in\n%s%s", text, got.stdout, got.stderr)
		}
	}
	if strings.Contains(got.stdout+got.stderr, sandbox.Jane.Password) {
		t.Errorf("the password shows:\n%s%s", got.stdout, got.stderr)
	}
}

// From recordings to an order, as a new user goes.
func TestAShopIsPointedAtWithRecordingsAlone(t *testing.T) {
	t.Parallel()
	shop, url, _ := newShop(t)
	recordings, folder := t.TempDir(), filepath.Join(t.TempDir(), "Corner Shop")
	if err := os.CopyFS(recordings, os.DirFS("testdata/recordings")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sign-in", "search", "buy-now"} {
		edit(t, filepath.Join(recordings, name+".json"), "http://127.0.0.1:8301", url)
	}
	made := []string{
		"new", folder, "--integration", "marketplace", "--sign-in", recordings + "/sign-in.json", "search=" + recordings + "/search.json",
		"buy-now=" + recordings + "/buy-now.json", "--input", `{"query":"coffee dripper","asin":"B0CX23V2ZK"}`,
	}
	expect(t, site(t.Context(), t, nil, made...), exitOK, "site.yaml:10: a selector is empty: signedIn:", "the effect stands before step 3 (click aria/Buy now)")
	expect(t, site(t.Context(), t, nil, made...), exitFailed, "not empty: nothing was written")
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil || strings.Contains(string(text), sandbox.Jane.Password) || strings.Contains(string(text), janesName) {
			t.Errorf("%s: %v\n%s", f.Name(), err, text)
		}
	}
	expect(t, site(t.Context(), t, nil, "check", folder), exitFailed, "13 faults:", "buy-now.yaml:19: step 4: a selector is empty")

	// The user fills in what nobody can know.
	edit(t, folder+"/site.yaml", `signedIn: {selectors: [[""]]}`, `signedIn: {selectors: [["#account-menu"]]}`, "timeout: 10000", "timeout: 5000\noverlays: [{selectors: ['#cookie-necessary']}]")
	edit(t, folder+"/search.yaml", `each: ""`, `each: ".product-card"`, `asin: ""`, `asin: "@data-asin"`, `title: ""`, `title: .product-title`,
		`itemUrl: {selector: ""`, `itemUrl: {selector: ".product-link"`, `available: {selector: ""`, `available: {selector: ".in-stock"`)
	edit(t, folder+"/buy-now.yaml", `orderId: ""`, `orderId: .order-number`, `asin: ""`, `asin: {selector: .order-line, attribute: data-asin}`, `title: ""`, `title: .order-line-title`,
		`quantity: {selector: ""`, `quantity: {selector: ".order-line-quantity"`, `total: {selector: "", as: money}`, `total: {selector: ".order-total", as: money}`,
		`deliveryAddress: ""`, `deliveryAddress: .delivery-address`, `paymentMethod: ""`, `paymentMethod: .payment-method`, "title: \"Buy\"\n", "title: \"Buy\"\n")
	edit(t, folder+"/site.yaml", "timeout: 5000", "timeout: 5000\ncurrency: USD")
	expect(t, site(t.Context(), t, jane, "check", folder, "--username", janesName, "--examples"), exitOK,
		"corner-shop: no faults", "no reconcile flow", "signedIn is false for a stranger: ok", "sign-in: ok", "search: ok", "items: 3", "buy-now: not run: it has an effect (order)")
	expect(t, site(t.Context(), t, jane, "run", folder, "buy-now", "--username", janesName, "--input", `{"asin":"B0CX23V2ZK"}`, "--yes"), exitOK, `"amount": "31.48"`)
	if orders := shop.State().Orders; len(orders) != 1 {
		t.Errorf("%d orders", len(orders))
	}
}

func TestARunStopsBeforeTheEffectOrVerifiesWhatReconcilesIt(t *testing.T) {
	t.Parallel()
	shop, _, folder := newShop(t)
	run := func(more ...string) output {
		return site(t.Context(), t, jane, append([]string{"run", folder, "buy-now", "--username", janesName, "--input", `{"asin":"B0CX23V2ZK"}`}, more...)...)
	}
	expect(t, run("--until", "effect"), exitOK, "stopped before the effect", "sign-in.json", "effect order")
	expect(t, run(), exitFailed, "in earnest", "add --yes")
	edit(t, folder+"/buy-now.reconcile.json", `"const": false`, `"const": true`)
	expect(t, run("--verify-reconcile", "--yes"), exitFailed, "reconcile before the effect: applied: true", "before it did: nothing was done")
	if orders := shop.State().Orders; len(orders) != 0 {
		t.Fatalf("%d orders", len(orders))
	}
	edit(t, folder+"/buy-now.reconcile.json", `"const": true`, `"const": false`)
	expect(t, run("--verify-reconcile", "--yes"), exitFailed, "reconcile before the effect: applied: false", "reconcile after the effect: applied: false", "has not happened, after it did")
	if orders := shop.State().Orders; len(orders) != 1 {
		t.Errorf("%d orders", len(orders))
	}
}

func TestARunVerifiesASoundReconcileFlowAndPrintsJSON(t *testing.T) {
	t.Parallel()
	_, _, folder := newShop(t)
	got := site(t.Context(), t, jane, "run", folder, "buy-now", "--username", janesName, "--input", `{"asin":"B0CX23V2ZK"}`, "--verify-reconcile", "--yes", "--json")
	expect(t, got, exitOK)
	var told played
	if err := json.Unmarshal([]byte(got.stdout), &told); err != nil {
		t.Fatalf("%v: %s", err, got.stdout)
	}
	if told.Before == nil || told.Before.Applied || told.After == nil || !told.After.Applied || len(told.Steps) == 0 || !told.Steps[0].SignIn || len(told.Result) == 0 {
		t.Errorf("got %s", got.stdout)
	}
}

func TestAFailureShowsWhereWhyAndAPicture(t *testing.T) {
	t.Parallel()
	_, _, folder := newShop(t)
	search := []string{"run", folder, "search", "--input", `{"query":"coffee"}`}
	edit(t, folder+"/search.json", `"#search-results"`, `"#gone"`)
	expect(t, site(t.Context(), t, nil, search...), exitOK, "2 of 3: aria/Search results, not the first", `"asin"`)
	edit(t, folder+"/search.json", `"aria/Search results"`, `"aria/gone"`, `".search-results"`, `".gone"`)
	picture := filepath.Join(t.TempDir(), "page.jpg")
	expect(t, site(t.Context(), t, nil, append(search, "--picture", picture)...), exitFailed,
		"failed: search.json step 2 (waitForElement #gone)", "search.json:", picture, "near", "Search the shop", "search failed")
	info, err := os.Stat(picture)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("%v %v", info, err)
	}
	expect(t, site(t.Context(), t, nil, "check", folder, "--guest", "--examples", "--picture", filepath.Join(picture, "x")), exitFailed, "search: failed", "not written", "buy-again: not run: it is played signed in", "not all of it works")
}

func TestACheckFindsASignInThatProvesNothing(t *testing.T) {
	t.Parallel()
	_, _, folder := newShop(t)
	check := []string{"check", folder, "--username", janesName}
	expect(t, site(t.Context(), t, map[string]string{"IGW_PASSWORD": "wrong"}, check...), exitFailed, "sign-in: failed", "outcome")
	edit(t, folder+"/site.yaml", `[["#account-menu"], [".account-menu"]]`, `[["#search-box"]]`)
	expect(t, site(t.Context(), t, jane, check...), exitFailed, "signedIn is false for a stranger: failed", "so it proves nothing", `--input 'search={`)
}

func TestAProbeLooksAtASignedInPage(t *testing.T) {
	t.Parallel()
	_, url, folder := newShop(t)
	expect(t, site(t.Context(), t, jane, "probe", "/buy-again", "--site", folder, "--username", janesName), exitOK, `each: ".product-card"`, `"@data-asin"`, "#account-menu", "JSON that the page asks for: none")
	got := site(t.Context(), t, nil, "probe", url+"/search?q=coffee", "--json")
	expect(t, got, exitOK, `"groups"`, "#sign-in-link")
	if !json.Valid([]byte(got.stdout)) {
		t.Error(got.stdout)
	}
}

func TestAnInterruptedRunEndsSoon(t *testing.T) {
	t.Parallel()
	_, _, folder := newShop(t)
	edit(t, folder+"/site.yaml", "timeout: 3000", "timeout: 600000")
	edit(t, folder+"/search.json", `"#search-results"`, `"#gone"`, `"aria/Search results"`, `"aria/gone"`, `".search-results"`, `".gone"`)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	began := time.Now()
	expect(t, site(ctx, t, nil, "run", folder, "search", "--input", `{"query":"coffee"}`), exitFailed, "igw: interrupted")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestALinkedAccountIsOpenedByTheVaultForItsOwnSite(t *testing.T) {
	t.Parallel()
	_, _, folder := newShop(t)
	databaseURL := testenv.DatabaseURL(t)
	if err := vault.Migrate(t.Context(), databaseURL); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	env := map[string]string{"VAULT_DATABASE_URL": databaseURL, "VAULT_KEEPER_URL": "base64key://smGbjm71Nxd1Ig5FS0wj9SlbzAIrnolCz9bQQ6uAhl4="}
	v, err := vault.Open(t.Context(), pool, env["VAULT_KEEPER_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for id, s := range map[string]string{"here": "sandbox", "elsewhere": "other", "anywhere": "", "unlinked": ""} {
		sealed, err := json.Marshal(accounts.Credentials{Username: janesName, Password: sandbox.Jane.Password, Site: s})
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Put(t.Context(), id, accounts.CredentialsName, sealed); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.CloseAccount(t.Context(), "unlinked"); err != nil {
		t.Fatal(err)
	}
	again := func(env map[string]string, id string) output {
		return site(t.Context(), t, env, "run", folder, "buy-again", "--account", id)
	}
	expect(t, again(env, "here"), exitOK, "sign-in.json", `"items"`)
	expect(t, again(env, "elsewhere"), exitFailed, `linked to the site "other"`)
	expect(t, again(env, "nobody"), exitFailed, "is it linked?")
	expect(t, again(env, "unlinked"), exitFailed, "unlinked")
	expect(t, again(nil, "here"), exitFailed, "VAULT_KEEPER_URL")
	without := maps.Clone(env)
	without["VAULT_KEEPER_URL"] = ""
	expect(t, again(without, "here"), exitFailed, "VAULT_KEEPER_URL")
	expect(t, site(t.Context(), t, env, "run", folder, "buy-again"), exitFailed, "name an account")
}
