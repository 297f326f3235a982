package e2e_test

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/pkg/flow"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/applications"
)

// operationCase shows that one operation of the catalogue works, and how it
// fails.
type operationCase struct {
	op      contracts.Entry
	path    string                       // with parameters and query; empty: the operation's own
	body    any                          // nil for none; a func(*gateway) any makes it
	check   func(g *gateway, r response) // compares the result with what the sandbox has; see checked
	public  bool                         // nobody signs in for it
	refuses []refusalCase                // besides what all operations refuse
}

// The events of commands.
var (
	readEvents       = []string{"command.accepted", "command.completed"}
	rejectedEvents   = []string{"command.accepted", "command.rejected"}
	effectEvents     = []string{"command.accepted", "effect.started", "effect.confirmed", "command.completed"}
	notAppliedEvents = []string{"command.accepted", "effect.started", "effect.not-applied", "command.completed"}
)

// catalogueCases holds the cases of every operation.
func catalogueCases() []operationCase {
	return slices.Concat(
		clinicRecordsCases, agencyCases, marketplaceCases, marketplaceBusinessCases, marketplaceSellerCases, founderNetworkCases,
		dispatchCases, professionalNetworkCases, dealerSalesCases, photoSocialCases, paymentsAppCases,
	)
}

// TestCatalogueIsComplete finds operations of the catalogue that have no
// service, no flow at the sandbox's site, or no case.
func TestCatalogueIsComplete(t *testing.T) {
	t.Parallel()
	served, cases := map[string]bool{}, map[string]int{}
	for _, app := range applications.All {
		folder, err := fs.Sub(app.Sites, "sites/"+applications.SandboxSite)
		if err != nil {
			t.Fatal(err)
		}
		site, err := flow.Load(folder, flow.ContractsOf(app.Entries()...))
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range app.Operations {
			info := op.Info()
			served[info.ID()] = true
			if !op.At(site) {
				t.Errorf("%s: the sandbox's site has no flow for it", info.ID())
			}
			if info.Effect != contracts.NoEffect && !site.CanReconcile(info.Name) {
				t.Errorf("%s: the sandbox's site has no reconcile flow for it", info.ID())
			}
		}
	}
	for _, c := range catalogueCases() {
		cases[c.op.Info().ID()]++
	}
	for _, entry := range catalog.All() {
		id := entry.Info().ID()
		if !served[id] {
			t.Errorf("%s: no service carries it out", id)
		}
		if cases[id] != 1 {
			t.Errorf("%s: %d cases, want one", id, cases[id])
		}
		delete(cases, id)
	}
	if len(cases) > 0 {
		t.Errorf("cases of operations that the catalogue does not have: %v", slices.Sorted(maps.Keys(cases)))
	}
}

// TestCatalogue carries out each operation through HTTP, the bus, a browser and
// the log, and has it refused in every way that it can be. All operations of an
// integration meet at one sandbox, and therefore come one after the other.
func TestCatalogue(t *testing.T) {
	all := shareStack(t, func(sites string) {
		for _, app := range applications.All {
			installBare(t, sites, app.Name)
		}
	})
	for _, app := range applications.All {
		t.Run(app.Name, func(t *testing.T) {
			t.Parallel()
			g := all.of(t).newCaller("Caller of " + app.Name).with(app)
			for _, c := range catalogueCases() {
				if c.op.Info().Integration == app.Name {
					t.Run(c.op.Info().Name, func(t *testing.T) { c.run(g.of(t), app.User) })
				}
			}
		})
	}
}

// bare is a site that carries out nothing.
const bare = "bare"

func installBare(t *testing.T, sites, integration string) {
	t.Helper()
	folder := filepath.Join(sites, integration, bare)
	text := "site: " + bare + "\nintegration: " + integration + "\nbaseUrl: http://127.0.0.1:9\noperations: {}\n"
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "site.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// with is a view of the stack for an integration, whose sandbox's user has two
// accounts of the test's caller: the second with a wrong password.
func (g *gateway) with(app applications.Application) *gateway {
	g.Helper()
	there := *g
	there.integration, there.shopAt, there.linked = app.Name, applications.SandboxSite, map[string]tokens{}
	there.env.AccountTokens = map[string]string{app.Name: there.linkUser(applications.SandboxSite, app.User).account}
	stranger := app.User
	stranger.Password = "not the password"
	there.refused = there.linkUser(applications.SandboxSite, stranger)
	return &there
}

// linkOnce links an account of a user at a site, unless it is linked already: a
// browser that signs in costs more than all else about most refusals.
func (g *gateway) linkOnce(site string, user kit.User) tokens {
	g.Helper()
	name := site + " " + user.Username
	if _, is := g.linked[name]; !is {
		g.linked[name] = g.linkUser(site, user)
	}
	return g.linked[name]
}

// run carries the operation out, and then has it refused.
func (c operationCase) run(g *gateway, user kit.User) {
	g.Helper()
	r := c.send(g, c.sender(g, user), refusalCase{})
	if r.status != http.StatusOK {
		g.Fatalf("got %d: %s", r.status, r.body)
	}
	c.check(g, r)
	events := readEvents
	if c.op.Info().Effect != contracts.NoEffect {
		events = effectEvents
	}
	g.expectEvents(r, events...)
	for _, refusal := range slices.Concat(c.common(g, user), c.refuses) {
		g.Run(refusal.name, func(t *testing.T) { c.refuse(g.of(t), user, refusal) })
	}
}

// sender is who the success is sent by. Where the account token may be left out,
// it is a caller who has one account, and leaves it out.
func (c operationCase) sender(g *gateway, user kit.User) tokens {
	g.Helper()
	if c.op.Info().Access != contracts.SoleAccount {
		return g.demonstration()
	}
	return tokens{access: g.newCaller("Caller with one account").linkUser(applications.SandboxSite, user).access}
}

// send makes the operation's request, with what is different in other.
func (c operationCase) send(g *gateway, who tokens, other refusalCase) response {
	g.Helper()
	info, body := c.op.Info(), c.body
	if other.body != nil {
		body = other.body
	}
	if made, ok := body.(func(*gateway) any); ok {
		body = made(g)
	}
	return g.send(info.Method, cmp.Or(other.path, c.path, info.Path), who, body)
}

// checked is a check of a result of a type.
func checked[Res any](check func(g *gateway, res Res)) func(*gateway, response) {
	return func(g *gateway, r response) {
		g.Helper()
		check(g, result[Res](g, r))
	}
}

// stateOf reads what really happened at the sandbox of the test's application.
func stateOf[State any](g *gateway) State {
	g.Helper()
	var s State
	r := g.sandbox(http.MethodGet, "/_sandbox/state", "")
	if err := json.Unmarshal(r.body, &s); err != nil {
		g.Fatalf("state %s: %v", r.body, err)
	}
	return s
}

// expectEqual compares what an operation has given with what is wanted.
func expectEqual[V any](g *gateway, want, got V) {
	g.Helper()
	if diff := gocmp.Diff(want, got); diff != "" {
		g.Errorf("-want +got:\n%s", diff)
	}
}
