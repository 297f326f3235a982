package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/services/marketplace/sandbox"
)

// sandboxFolder is the folder that an operator copies.
const sandboxFolder = "../../services/marketplace/sites/sandbox"

// branch is another shop, which can hold an order back.
type branch struct {
	*gateway // whose sandbox is this shop
	folder   string
	gate     atomic.Pointer[gate]
}

type gate struct{ reached, open chan struct{} }

// newBranch opens a shop, and has the operator install a site for it.
func newBranch(g *gateway, sites, name string) *branch {
	g.Helper()
	b := &branch{folder: filepath.Join(sites, "marketplace", name)}
	shop := sandbox.New()
	url := openShop(g.T, sites, name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if held := b.gate.Load(); held != nil && r.Method == http.MethodPost && r.URL.Path == "/buy-now" {
			close(held.reached)
			<-held.open
		}
		shop.ServeHTTP(w, r)
	}))
	at := *g
	at.env.SandboxURLs = map[string]string{"marketplace": url}
	b.gateway = &at
	return b
}

// newSites makes a folder for sites of the operator.
func newSites(t testing.TB) string {
	t.Helper()
	sites := t.TempDir()
	if err := os.Mkdir(filepath.Join(sites, "marketplace"), 0o755); err != nil {
		t.Fatal(err)
	}
	return sites
}

// openShop opens a shop until the test ends, puts a site for it among others,
// and returns the shop's address.
func openShop(t *testing.T, sites, name string, shop http.Handler) (url string) {
	t.Helper()
	server := httptest.NewServer(shop)
	t.Cleanup(func() {
		server.CloseClientConnections() // a browser keeps some
		server.Close()
	})
	draft := filepath.Join(sites, "marketplace", ".draft")
	if err := os.CopyFS(draft, os.DirFS(sandboxFolder)); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(draft, "site.yaml"), "site: sandbox", "site: "+name, "baseUrl: http://127.0.0.1:8301", "baseUrl: "+server.URL)
	if err := os.Rename(draft, filepath.Join(sites, "marketplace", name)); err != nil {
		t.Fatal(err)
	}
	return server.URL
}

// edit replaces texts that a file must have, and returns what it was before.
func edit(t *testing.T, path string, oldNew ...string) (before string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(oldNew); n += 2 {
		if !bytes.Contains(content, []byte(oldNew[n])) {
			t.Fatalf("%s has no %q", path, oldNew[n])
		}
	}
	write(t, path, strings.NewReplacer(oldNew...).Replace(string(content)))
	return string(content)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// logLine is what these tests read of the log.
type logLine struct {
	Message string   `json:"msg"`
	Site    string   `json:"site"`
	Hash    string   `json:"hash"`
	InUse   string   `json:"in_use"`
	Faults  []string `json:"faults"`
}

// awaitLine waits until the log has so many lines about the branch with a
// message, and returns the last of them.
func (b *branch) awaitLine(times int, message string) logLine {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), endLimit)
	defer cancel()
	var last logLine
	await(ctx, b.T, func() error {
		content, err := os.ReadFile(b.log)
		if err != nil {
			return err
		}
		found := 0
		for text := range bytes.Lines(content) {
			var line logLine
			if json.Unmarshal(text, &line) == nil && line.Message == message && line.Site == filepath.Base(b.folder) {
				found, last = found+1, line
			}
		}
		if found < times {
			return errors.New("it is not in the log")
		}
		return nil
	})
	return last
}

func (g *gateway) order(who tokens, asin string) response {
	g.Helper()
	return g.send(http.MethodPost, marketplace.BuyNow.Path, who, marketplace.ItemChoice{ASIN: asin})
}

// site is where the log says that a command was carried out.
func (g *gateway) site(r response) (name, hash string) {
	g.Helper()
	var accepted event.CommandAccepted
	if err := json.Unmarshal(g.events(r)[0].Data, &accepted); err != nil {
		g.Fatal(err)
	}
	return accepted.Site, accepted.SiteHash
}

const (
	installed = "a site is installed"
	refused   = "a site's folder is refused"
)

// TestOperatorInstallsASite is the life of a site beside the sandbox's, while
// orders are placed at both.
func TestOperatorInstallsASite(t *testing.T) {
	t.Parallel()
	sites := newSites(t)
	g := start(t, "SITES_DIR="+sites)
	asin := g.item("coffee").ASIN
	who := g.linkAt("corner-shop", sandbox.Amir.Username, sandbox.Amir.Password)
	if message := denied(g, g.order(who, asin), http.StatusInternalServerError); !strings.Contains(message, "not installed") {
		t.Errorf("before it is installed: %s", message)
	}

	illegal := accounts.NewAccount{CallerID: "c", Integration: "marketplace", Site: "../corner-shop", Username: "u", Password: "p"}
	if message := denied(g, g.send(http.MethodPost, accounts.LinkAccount.Path, tokens{access: g.env.AdminToken}, illegal), http.StatusBadRequest); !strings.Contains(message, "site") {
		t.Errorf("a name that no site can have: %s", message)
	}

	b := newBranch(g, sites, "corner-shop")
	first := b.awaitLine(1, installed)
	there, here := b.order(who, asin), g.order(g.demonstration(), asin)
	for shop, r := range map[*gateway]response{b.gateway: there, g: here} {
		order := result[marketplace.Order](g, r)
		if orders := shop.state().Orders; len(orders) != 1 || orders[0].ID != order.OrderID {
			t.Errorf("the shop has %+v, the answer is %+v", orders, order)
		}
	}
	if name, hash := g.site(there); name != "corner-shop" || hash != first.Hash || hash == "" {
		t.Errorf("the order was placed at %s %s", name, hash)
	}
	if name, hash := g.site(here); name != "sandbox" || hash == first.Hash || hash == "" {
		t.Errorf("the other order was placed at %s %s", name, hash)
	}

	flow := filepath.Join(b.folder, "buy-now.json")
	whole := b.changeWhileAnOrderIsUnderWay(who, asin, flow, first)
	second := b.awaitLine(2, installed)
	b.breakAndGoOn(who, asin, flow, second)

	write(t, flow, whole)
	if mended := b.awaitLine(3, installed); mended.Hash != first.Hash {
		t.Errorf("mended it is %s, it was %s", mended.Hash, first.Hash)
	}
	result[marketplace.Order](g, b.order(who, asin))
	if err := os.RemoveAll(b.folder); err != nil {
		t.Fatal(err)
	}
	b.awaitLine(1, "a site's folder is gone")
	if message := denied(g, b.order(who, asin), http.StatusInternalServerError); !strings.Contains(message, "not installed") {
		t.Errorf("after it was removed: %s", message)
	}
	result[marketplace.Order](g, g.order(g.demonstration(), asin))
}

// changeWhileAnOrderIsUnderWay wants that order to end by the flow that it began
// with, and the next to go by the new one. It returns the flow as it was.
func (b *branch) changeWhileAnOrderIsUnderWay(who tokens, asin, flow string, first logLine) (whole string) {
	b.Helper()
	const before, after = `"paymentMethod": ".payment-method"`, `"paymentMethod": {"const": "as the new flow has it"}`
	held := &gate{make(chan struct{}), make(chan struct{})}
	b.gate.Store(held)
	answer := make(chan response, 1)
	go func() {
		defer close(answer)
		answer <- b.order(who, asin)
	}()
	<-held.reached
	b.gate.Store(nil)
	whole = edit(b.T, flow, before, after)
	second := b.awaitLine(2, installed)
	select {
	case r := <-answer:
		b.Fatalf("the order did not wait: %d %s", r.status, r.body)
	default:
	}
	close(held.open)
	under, next := <-answer, b.order(who, asin)
	if order := result[marketplace.Order](b.gateway, under); !strings.Contains(order.PaymentMethod, "ending in") {
		b.Errorf("the order under way ended with %+v", order)
	}
	if order := result[marketplace.Order](b.gateway, next); order.PaymentMethod != "as the new flow has it" {
		b.Errorf("the next order ended with %+v", order)
	}
	if _, hash := b.site(under); hash != first.Hash {
		b.Errorf("the order under way was of %s", hash)
	}
	if _, hash := b.site(next); hash != second.Hash || hash == first.Hash {
		b.Errorf("the next order was of %s", hash)
	}
	return whole
}

// breakAndGoOn wants the faults of a broken flow in the log, and orders to go
// by the version before.
func (b *branch) breakAndGoOn(who tokens, asin, flow string, second logLine) {
	b.Helper()
	edit(b.T, flow, `"type": "click"`, `"type": "leap"`)
	line := b.awaitLine(1, refused)
	if line.InUse != second.Hash || !strings.Contains(strings.Join(line.Faults, "\n"), `buy-now.json:67: step 5: unknown step type "leap"`) {
		b.Errorf("the log says %+v", line)
	}
	r := b.order(who, asin)
	result[marketplace.Order](b.gateway, r)
	if _, hash := b.site(r); hash != second.Hash {
		b.Errorf("the order was of %s", hash)
	}
}
