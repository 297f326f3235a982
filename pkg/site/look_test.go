package site

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

func TestChangeIsTakenUpOnceTwoLooksAgree(t *testing.T) {
	t.Parallel()
	in := newInstall(t).opened()
	in.write("corner-shop/site.yaml", text("corner-shop", "https://one.example"))
	in.look(1)
	in.expectNone("corner-shop", "not installed")
	in.write("corner-shop/site.yaml", text("corner-shop", "https://two.example"))
	in.look(1) // it is still being written
	in.expectNone("corner-shop", "not installed")
	in.look(1)
	in.expect("corner-shop", "https://two.example")

	held, err := in.set.Get("corner-shop")
	in.must(err)
	in.write("corner-shop/site.yaml", text("corner-shop", "https://three.example"))
	in.look(1)
	in.expect("corner-shop", "https://two.example")
	in.look(1)
	in.expect("corner-shop", "https://three.example")
	if held.BaseURL != "https://two.example" {
		t.Error("a site that was handed out has changed")
	}
	in.look(3)
	in.expectLog(2, `msg="a site is installed" integration=marketplace site=corner-shop`)
}

func TestHalfAFolderIsNotTaken(t *testing.T) {
	t.Parallel()
	in := newInstall(t).opened()
	whole := text("corner-shop", "https://corner.example")
	for n := range len(whole) {
		in.write("corner-shop/site.yaml", whole[:n])
		in.look(1)
	}
	in.expectLog(0, "refused")
	in.expectNone("corner-shop", "not installed")
	in.write("corner-shop/site.yaml", whole)
	in.look(2)
	in.expect("corner-shop", "https://corner.example")
	in.expectLog(0, "refused")
}

func TestBrokenFolderIsRefusedOnceAChangeAndTheOldOneGoesOn(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	good := text("corner-shop", "https://corner.example")
	in.write("corner-shop/site.yaml", good)
	in.opened()
	in.write("corner-shop/site.yaml", "site: corner-shop\nintegration: marketplace\nbaseUrl: https://corner.example\noperations:\n  search: {flow: search.yaml}\nspeed: high\n")
	in.write("corner-shop/search.yaml", "steps:\n  - {type: navigate, url: /}\n  - {type: leap}\n")
	in.look(5)
	in.expect("corner-shop", "https://corner.example")
	in.expectLog(1, "a site's folder is refused")
	in.expectLog(1, "search.yaml:3: step 2: ")
	in.expectLog(1, `site.yaml:6: unknown key \"speed\"`)
	used, err := in.set.Get("corner-shop")
	in.must(err)
	in.expectLog(1, "in_use="+used.Hash)
	if list := in.set.Installed(); list[0].Refused == nil || list[0].Site.Hash != used.Hash {
		t.Errorf("%+v", list[0])
	}

	in.write("corner-shop/search.yaml", "steps: [")
	in.look(5)
	in.expectLog(2, "a site's folder is refused")
	in.remove("corner-shop/search.yaml")
	in.write("corner-shop/site.yaml", good)
	in.look(2)
	if list := in.set.Installed(); list[0].Refused != nil || list[0].Site.Hash != used.Hash {
		t.Errorf("mended: %+v", list[0])
	}
}

func TestBrokenFolderThatComesLaterLeavesTheEmbeddedSite(t *testing.T) {
	t.Parallel()
	in := newInstall(t).opened()
	in.write("sandbox/site.yaml", "site: sandbox\n")
	in.write("corner-shop/site.yaml", "site: corner-shop\n")
	in.look(2)
	in.expect("sandbox", "http://embedded.example")
	in.expectNone("corner-shop", "broken")
	in.remove("corner-shop")
	in.look(2)
	in.expectNone("corner-shop", "not installed")
}

func TestRemovedFolderIsUninstalled(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	in.write("corner-shop/site.yaml", text("corner-shop", "https://corner.example"))
	in.opened().remove("corner-shop")
	in.look(1) // it may be on its way back
	in.expect("corner-shop", "https://corner.example")
	in.look(1)
	in.expectNone("corner-shop", "not installed")
	in.expectLog(1, "a site's folder is gone")
	if list := in.set.Installed(); len(list) != 1 {
		t.Errorf("installed are %+v", list)
	}
	in.write("corner-shop/site.yaml", text("corner-shop", "https://corner.example"))
	in.look(2)
	in.expect("corner-shop", "https://corner.example")
}

// TestKubernetesExchangesAllFilesAtOnce plays what the kubelet does with a
// mounted ConfigMap.
func TestKubernetesExchangesAllFilesAtOnce(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	folder := filepath.Join(in.dir, "marketplace", "corner-shop")
	in.write("corner-shop/..1/site.yaml", text("corner-shop", "https://one.example"))
	in.must(os.Symlink("..1", filepath.Join(folder, "..data")))
	in.must(os.Symlink("..data/site.yaml", filepath.Join(folder, "site.yaml")))
	in.opened().expect("corner-shop", "https://one.example")

	in.write("corner-shop/..2/site.yaml", text("corner-shop", "https://two.example"))
	in.must(os.Symlink("..2", filepath.Join(folder, "..data_tmp")))
	in.must(os.Rename(filepath.Join(folder, "..data_tmp"), filepath.Join(folder, "..data")))
	in.remove("corner-shop/..1")
	in.look(2)
	in.expect("corner-shop", "https://two.example")
}

// TestWholeTreeIsExchanged plays what git-sync does: SITES_DIR is a link.
func TestWholeTreeIsExchanged(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	trees := in.dir
	for tree, address := range map[string]string{"1": "https://one.example", "2": "https://two.example"} {
		in.dir = filepath.Join(trees, tree)
		in.write("corner-shop/site.yaml", text("corner-shop", address))
	}
	in.dir = filepath.Join(trees, "current")
	in.must(os.Symlink("1", in.dir))
	in.opened().expect("corner-shop", "https://one.example")
	in.must(os.Symlink("2", filepath.Join(trees, "next")))
	in.must(os.Rename(filepath.Join(trees, "next"), in.dir))
	in.look(2)
	in.expect("corner-shop", "https://two.example")
}

func TestRunTakesChangesUpWithinTwoSeconds(t *testing.T) {
	in := newInstall(t).opened()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); in.set.Run(ctx) }()
		time.Sleep(lookEvery + time.Millisecond)
		in.write("corner-shop/site.yaml", text("corner-shop", "https://corner.example"))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		in.expect("corner-shop", "https://corner.example")

		// What cannot be read is no reason to take anything away.
		in.must(os.Rename(in.dir, in.dir+".away"))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		in.expect("corner-shop", "https://corner.example")
		in.expectLog(1, "SITES_DIR cannot be read")
		in.must(os.Rename(in.dir+".away", in.dir))
		cancel()
		<-ended
	})
}

func TestRunEndsAtOnceWithoutAFolder(t *testing.T) {
	t.Parallel()
	in := newInstall(t)
	in.dir = ""
	in.opened().set.Run(t.Context())
}
