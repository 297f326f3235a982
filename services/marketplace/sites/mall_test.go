package sites_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	contracts "integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/marketplace/sandbox"
)

// customer is a user of a shop of its own, and the browser that the flows are
// played in.
type customer struct {
	*sandbox.Shop
	t       *testing.T
	site    *flow.Site
	page    *browser.Page
	account *flow.Account
	effects []string       // kinds of the effects that began
	vars    map[string]any // as they stood at the effect
	before  map[string]any // at the effect that is in doubt
	trace   flow.Trace
}

func (c *customer) Started(_ context.Context, kind string, vars map[string]any) error {
	c.effects, c.vars = append(c.effects, kind), vars
	return nil
}

func (c *customer) Act(context.Context) error { return nil }

func (c *customer) Holds() bool { return true }

// play plays an operation and decodes its result.
func (c *customer) play(operation string, request map[string]any, result any) *flow.Failure {
	c.t.Helper()
	raw, trace, err := c.site.Play(c.t.Context(), c.page.Rod(), c.job(operation, request))
	c.trace = trace
	if err != nil {
		var failure *flow.Failure
		if !errors.As(err, &failure) {
			c.t.Fatalf("%s: %v", operation, err)
		}
		return failure
	}
	if err := json.Unmarshal(raw, result); err != nil {
		c.t.Fatalf("%s: %v in %s", operation, err, raw)
	}
	return nil
}

func (c *customer) job(operation string, request map[string]any) flow.Job {
	return flow.Job{
		Operation: operation, Request: request, CommandID: "c-1", StartedAt: time.Now(),
		Account: c.account, Effect: c, Vars: c.vars,
	}
}

// succeed plays an operation that must succeed.
func (c *customer) succeed(operation string, request map[string]any, result any) {
	c.t.Helper()
	if failure := c.play(operation, request, result); failure != nil {
		c.t.Fatalf("%s: %v (outcome %q, cause %v)", operation, failure, failure.Outcome, failure.Err)
	}
}

// reconcile asks the reconcile flow whether the last effect happened.
func (c *customer) reconcile(operation string) flow.Verdict {
	c.t.Helper()
	verdict, _, err := c.site.Reconcile(c.t.Context(), c.page.Rod(), c.job(operation, nil))
	if err != nil {
		c.t.Fatalf("reconcile %s: %v", operation, err)
	}
	return verdict
}

// mall gives each test a shop and a browser context of its own.
type mall struct {
	pool      *browser.Pool
	patient   *flow.Site // as it is
	impatient *flow.Site // for tests that wait for what does not come
}

func openMall(t *testing.T) *mall {
	t.Helper()
	pool, err := browser.Open(t.Context(), browser.Config{Path: testenv.Chromium(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := pool.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return &mall{pool: pool, patient: load(t, "10000"), impatient: load(t, "4000")}
}

// load reads the site with another time limit of its steps, in milliseconds.
func load(t *testing.T, timeout string) *flow.Site {
	t.Helper()
	folder := fstest.MapFS{}
	files, err := os.ReadDir("sandbox")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join("sandbox", file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		data = bytes.Replace(data, []byte("\ntimeout: 10000\n"), []byte("\ntimeout: "+timeout+"\n"), 1)
		folder[file.Name()] = &fstest.MapFile{Data: data}
	}
	site, err := flow.Load(folder, flow.ContractsOf(contracts.Operations...))
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func (m *mall) customer(t *testing.T, user kit.User, vain bool) *customer {
	t.Helper()
	site := m.patient
	if vain {
		site = m.impatient
	}
	shop := sandbox.New()
	server := httptest.NewServer(shop)
	t.Cleanup(server.Close)
	site, err := site.WithBaseURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	page, err := m.pool.Acquire(t.Context(), browser.Tenant{Account: t.Name(), Origins: site.Origins()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { page.Release(false) })
	account := &flow.Account{Credentials: func(context.Context) (flow.Credentials, error) {
		return flow.Credentials{Username: user.Username, Password: user.Password}, nil
	}}
	account.Proven = func(at time.Time, session map[string]any) { account.ProvenAt, account.Session = at, session }
	return &customer{Shop: shop, t: t, site: site, page: page, account: account}
}
