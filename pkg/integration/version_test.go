package integration

import (
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
)

// reinstall has the instance use another version of the site, with some texts
// replaced in all files.
func (in *instance) reinstall(oldNew ...string) {
	in.Helper()
	files := fstest.MapFS{}
	for name, file := range shopSite {
		files[name] = &fstest.MapFile{Data: []byte(strings.NewReplacer(oldNew...).Replace(string(file.Data)))}
	}
	shop := shopService
	shop.Sites = files
	var err error
	in.sites, err = shop.OpenSites(Config{DefaultSite: "shop"}, map[string]string{"shop": in.application.URL}, slog.New(slog.DiscardHandler))
	in.must(err)
}

// TestNewVersionOfASiteProvesAnewAndRemembersItsOwn changes what the sign-in
// remembers, which a flow puts into an address.
func TestNewVersionOfASiteProvesAnewAndRemembersItsOwn(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := o.instance()
	in.mustList()
	in.mustList()
	homes := o.application.homes.Load()

	changed := []string{`remember: {name: "#menu"}`, `remember: {who: "#menu"}`, "session.name", "session.who"}
	in.reinstall(changed...)
	in.mustList()
	if n := o.application.homes.Load(); n != homes+1 {
		t.Errorf("the new version has opened the account's page %d times, want once", n-homes)
	}
	in.mustList()
	if n := o.application.homes.Load(); n != homes+1 {
		t.Error("its proof does not count for its next command")
	}

	// Another instance goes on from what was learnt.
	second := o.instance()
	second.reinstall(changed...)
	second.mustList()
	o.expectSignIns(1)
}

// TestNothingRememberedGoesToAnotherVersion wants a version that puts what an
// earlier one remembered under the same name somewhere else to read its own.
func TestNothingRememberedGoesToAnotherVersion(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := o.instance()
	in.mustList()
	changed := []string{`remember: {name: "#menu"}`, `remember: {name: {const: ` + item + `}}`, "/again?of={{ session.name }}", "/dp/{{ session.name }}", "[.item]", "['#buy']"}
	in.reinstall(changed...)
	second := o.instance() // whose state is restored
	second.reinstall(changed...)
	for _, at := range []*instance{second, in} {
		if out := at.list(); out.err != nil || o.application.signIns.Load() != 1 {
			t.Errorf("%+v after %d sign-ins", out.err, o.application.signIns.Load())
		}
		if got := o.application.asked.Swap(nil); got == nil || *got != item {
			t.Error("another page was asked for than that of what this version remembers")
		}
	}
}
