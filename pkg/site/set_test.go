package site

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"integration.gateway/contracts/accounts"
)

func TestFoldersAreInstalledBesideTheEmbeddedSites(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	in.write("corner-shop/site.yaml", text("corner-shop", "https://corner.example"))
	in.write("mall/site.yaml", text("mall", "https://mall.example"))
	in.write("README.md", "no site")
	in.write(".git/config", "no site")
	in.opened()
	in.expect("", "http://embedded.example")
	in.expect("sandbox", "http://embedded.example")
	in.expect("corner-shop", "https://corner.example")
	in.expect("mall", "https://mall.example")
	in.expectNone("README.md", "not installed")
	in.expectLog(0, "level=WARN")

	list := in.set.Installed()
	if len(list) != 3 {
		t.Fatalf("installed are %+v", list)
	}
	shop, sandbox := list[0], list[2]
	if shop.Name != "corner-shop" || shop.Site.BaseURL != "https://corner.example" || len(shop.Site.Hash) != 64 ||
		shop.Folder != filepath.Join(in.dir, "marketplace", "corner-shop") || shop.Refused != nil {
		t.Errorf("%+v", shop)
	}
	if sandbox.Name != "sandbox" || sandbox.Folder != "" {
		t.Errorf("%+v", sandbox)
	}
}

func TestFolderStandsInForAnEmbeddedSite(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	in.write("sandbox/site.yaml", text("sandbox", "https://ours.example"))
	in.opened().expect("", "https://ours.example")
	in.remove("sandbox")
	in.look(2)
	in.expect("", "http://embedded.example")
	if list := in.set.Installed(); list[0].Folder != "" {
		t.Errorf("%+v", list[0])
	}
}

func TestNamesMustAgreeWithTheFolders(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	in.write("corner-shop/site.yaml", "# a copy\nsite: sandbox\nintegration: clinic-records\nbaseUrl: https://corner.example\noperations: {}\n")
	in.write("Corner_Shop/site.yaml", text("Corner_Shop", "https://corner.example"))
	in.write("empty/notes.txt", "")
	in.opened()
	in.expectNone("corner-shop", "broken")
	in.expectLog(1, `site.yaml:2: site is \"sandbox\", and this is the folder of \"corner-shop\"`)
	in.expectLog(1, `site.yaml:3: integration is \"clinic-records\", and this is the folder of \"marketplace\"`)
	in.expectNone("Corner_Shop", "broken")
	in.expectLog(1, "small letters")
	in.expectLog(1, "site.yaml: there is no such file")
}

func TestBrokenFolderAtTheStartDoesNotBringTheEmbeddedSiteBack(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	in.write("sandbox/site.yaml", text("sandbox", "https://ours.example")+"speed: high\n")
	in.opened().expectNone("sandbox", "broken")
	in.expectLog(1, `site.yaml:5: unknown key \"speed\"`)
	in.expectLog(1, "in_use=none")
	in.write("sandbox/site.yaml", text("sandbox", "https://ours.example"))
	in.look(2)
	in.expect("sandbox", "https://ours.example")
}

func TestWhatCannotBeMeantIsAnErrorAtTheStart(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Config){
		"SITES_DIR":                             func(c *Config) { c.Dir += "/nowhere" },
		"SITE_URLS: there is no site mall":      func(c *Config) { c.BaseURLs = map[string]string{"mall": "https://mall.example"} },
		"SITE_URLS: site sandbox: the base URL": func(c *Config) { c.BaseURLs = map[string]string{"sandbox": "mall.example"} },
		"site sandbox of marketplace: site.yaml:1:": func(c *Config) {
			c.Embedded = fstest.MapFS{"sandbox/site.yaml": {Data: []byte(text("box", "https://x.example"))}}
		},
	} {
		in := newInstall(t)
		cfg := in.config()
		change(&cfg)
		if _, err := Open(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestDefaultSiteMayComeLater(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	cfg := in.config()
	cfg.Default = "corner-shop"
	var err error
	in.set, err = Open(cfg)
	in.must(err)
	in.expectLog(1, "DEFAULT_SITE is not installed")
	in.expectNone("", "not installed")
	in.write("corner-shop/site.yaml", text("corner-shop", "https://corner.example"))
	in.look(2)
	in.expect("", "https://corner.example")
}

func TestBaseURLIsOverriddenAfterEachReload(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	in.write("corner-shop/site.yaml", text("corner-shop", "https://corner.example"))
	cfg := in.config()
	cfg.BaseURLs = map[string]string{"corner-shop": "https://branch.example"}
	var err error
	in.set, err = Open(cfg)
	in.must(err)
	in.expect("corner-shop", "https://branch.example")
	before, _ := in.set.Get("corner-shop")
	in.write("corner-shop/site.yaml", text("corner-shop", "https://elsewhere.example"))
	in.look(2)
	in.expect("corner-shop", "https://branch.example")
	if after, _ := in.set.Get("corner-shop"); after.Hash == before.Hash {
		t.Error("the new version was not taken up")
	}
}

func TestAccountsCanBeLinkedToWhateverASiteCanBeCalled(t *testing.T) {
	t.Parallel()
	field, _ := reflect.TypeFor[accounts.NewAccount]().FieldByName("Site")
	if got := field.Tag.Get("pattern"); got != legal.String() {
		t.Errorf("an account's site must match %s, a site's name %s", got, legal)
	}
	if got := field.Tag.Get("maxLength"); got != "100" || maxName != 100 {
		t.Errorf("an account's site has up to %s characters, a site's name %d", got, maxName)
	}
}

func TestOperatorsOwnFilesOutsideAreNotRead(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	outside := t.TempDir()
	in.must(os.WriteFile(filepath.Join(outside, "site.yaml"), []byte(text("out", "https://out.example")), 0o644))
	in.write("corner-shop/site.yaml", text("corner-shop", "https://corner.example"))
	shops := filepath.Join(in.dir, "marketplace")
	in.must(os.Symlink(outside, filepath.Join(shops, "out")))
	in.must(os.MkdirAll(filepath.Join(shops, "secrets"), 0o755))
	in.must(os.Symlink("/etc/passwd", filepath.Join(shops, "secrets", "site.yaml")))
	in.must(os.Symlink("nowhere", filepath.Join(shops, "dangling")))
	in.opened()
	for _, name := range []string{"out", "secrets", "dangling"} {
		in.expectNone(name, "broken")
	}
	in.expectLog(2, "path escapes from parent")
	in.expect("corner-shop", "https://corner.example")
}

func TestFoldersAreBounded(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	in.write("corner-shop/site.yaml", text("corner-shop", "https://corner.example"))
	in.write("huge/site.yaml", text("huge", "https://huge.example")+strings.Repeat("#", 1<<20))
	for n := range 9 {
		in.write("heavy/"+strings.Repeat("x", n+1), strings.Repeat("#", 1<<20))
	}
	for n := range maxSites {
		name := fmt.Sprintf("mall-%02d", n)
		in.write(name+"/site.yaml", text(name, "https://mall.example"))
	}
	in.opened()
	in.expect("corner-shop", "https://corner.example")
	in.expectNone("huge", "broken")
	in.expectLog(1, "site.yaml is larger than")
	in.expectNone("heavy", "broken")
	in.expectLog(1, "together")
	in.expect("mall-96", "https://mall.example")
	in.expectNone("mall-97", "broken")
	in.expectLog(3, "more than 100 sites")
}
