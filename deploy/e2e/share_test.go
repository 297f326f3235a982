package e2e_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"integration.gateway/contracts/accounts"
	"integration.gateway/deploy/stack"
	"integration.gateway/services/marketplace/sandbox"
)

// The parts that tests have in common.
var (
	commonSites lasting[string] // the folder of the shops' sites
	commonStack lasting[running]
	programs    lasting[string] // the folder of the programs of an installation
)

// allIntegrations is the setting of a stack that serves all there are.
const allIntegrations = "INTEGRATIONS="

type running struct {
	env stack.Env
	log string
}

// share lets a test run in parallel on a stack that it has in common with
// others. Its own are the caller, the shop and the demonstration account there:
// its accounts, its orders, its faults and what its shop counts are nobody
// else's. The log, the bus and the lists of the operator hold the others' as
// well.
func share(t *testing.T) *gateway {
	t.Helper()
	name, shopURL := siteName(t.Name()), ""
	g := shareStack(t, func(sites string) { shopURL = openShop(t, sites, name, sandbox.New()) })
	return g.newCaller("Caller of "+name).at(name, shopURL)
}

// shareStack lets a test run in parallel on the common stack. What the test
// installs into the folder of sites is there when the stack starts.
func shareStack(t *testing.T, install func(sites string)) *gateway {
	t.Helper()
	commonSites.join(t)
	commonStack.join(t)
	sites := commonSites.get(t, newSites)
	install(sites)
	// Every test of the package comes this far before one goes on. The stack
	// thus finds all sites when it starts.
	t.Parallel()
	common := commonStack.get(t, func(t testing.TB) running {
		t.Helper()
		// There is always room for the sessions of all tests that run.
		env, log := run(t, configure(t, "SITES_DIR="+sites, allIntegrations, "SESSIONS_RESERVE=1", "SESSIONS_MAX=32"))
		return running{env, log}
	})
	g := &gateway{T: t, env: common.env, log: common.log}
	t.Cleanup(g.showLog)
	return g
}

// siteName makes a test's name one that a site can have.
func siteName(test string) string {
	return strings.NewReplacer("/", "-", " ", "-", "_", "-").Replace(strings.ToLower(strings.TrimPrefix(test, "Test")))
}

// at returns a view of the stack whose shop is one of the test's own, with
// Jane's account there as the demonstration account.
func (g *gateway) at(site, shopURL string) *gateway {
	g.Helper()
	there := *g
	there.shopAt = site
	there.env.SandboxURLs = map[string]string{"marketplace": shopURL}
	jane := there.link(sandbox.Jane.Username, sandbox.Jane.Password)
	there.env.AccountTokens = map[string]string{"marketplace": jane.account}
	return &there
}

// newCaller returns a view of the stack for another caller.
func (g *gateway) newCaller(name string) *gateway {
	g.Helper()
	admin := tokens{access: g.env.AdminToken}
	caller := result[accounts.Caller](g, g.send(http.MethodPost, accounts.CreateCaller.Path, admin, accounts.NewCaller{Name: name}))
	path := strings.ReplaceAll(accounts.IssueToken.Path, "{callerId}", caller.CallerID)
	issued := result[accounts.IssuedToken](g, g.send(http.MethodPost, path, admin, accounts.NewToken{}))
	other := *g
	other.caller, other.env.AccessToken = caller.CallerID, issued.AccessToken
	return &other
}

// lasting is something that is made for the first test that needs it and goes
// with the last of the tests that have joined. It is the testing.TB of what is
// made: whatever that wants undone is undone then, and reported to that test.
type lasting[V any] struct {
	testing.TB
	mu    sync.Mutex
	users int
	undo  []func()
	made  bool
	value V
}

// join keeps what will be made until the test ends. A test joins before it
// runs in parallel, so that the one that ends first does not take it away from
// those that have not begun.
func (l *lasting[V]) join(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users++
	t.Cleanup(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.users--; l.users > 0 {
			return
		}
		l.TB, l.made = t, false
		for n := len(l.undo); n > 0; n = len(l.undo) {
			last := l.undo[n-1]
			l.undo = l.undo[:n-1]
			last()
		}
	})
}

// get returns what lasts, and has it made unless it is there.
func (l *lasting[V]) get(t *testing.T, create func(testing.TB) V) V {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.made {
		l.TB = t
		l.value = create(l)
		l.made = true
	}
	return l.value
}

// Cleanup has f called when the last test ends.
func (l *lasting[V]) Cleanup(f func()) { l.undo = append(l.undo, f) }

// Context does not end with the test that is the first.
func (l *lasting[V]) Context() context.Context { return context.Background() }

// ArtifactDir is TempDir: a test that fails prints what it needs of it.
func (l *lasting[V]) ArtifactDir() string { return l.TempDir() }

// TempDir is there until the last test ends.
func (l *lasting[V]) TempDir() string {
	l.Helper()
	dir, err := os.MkdirTemp("", "e2e-")
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			l.Error(err)
		}
	})
	return dir
}
