package sites_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	contracts "integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/marketplace/sandbox"
)

// customer is a user of a shop of its own, and the browser that the flows are
// played in.
type customer struct {
	*sandbox.Shop
	*flowtest.Player
	t *testing.T
}

// play plays an operation and decodes its result.
func (c *customer) play(operation string, request map[string]any, result any) (*flowtest.Attempt, *flow.Failure) {
	c.t.Helper()
	a := c.Attempt(operation, request)
	raw, failure := c.Play(c.t, a)
	if failure != nil {
		return a, failure
	}
	if err := json.Unmarshal(raw, result); err != nil {
		c.t.Fatalf("%s: %v in %s", operation, err, raw)
	}
	return a, nil
}

// succeed plays an operation that must succeed.
func (c *customer) succeed(operation string, request map[string]any, result any) *flowtest.Attempt {
	c.t.Helper()
	a := c.Attempt(operation, request)
	if raw := c.Succeeds(c.t, a); json.Unmarshal(raw, result) != nil {
		c.t.Fatalf("%s: %s", operation, raw)
	}
	return a
}

// mall gives each test a shop and a browser context of its own.
type mall struct {
	pool      *browser.Pool
	patient   *flow.Site // as it is
	impatient *flow.Site // for tests that wait for what does not come
}

func openMall(t *testing.T) *mall {
	t.Helper()
	return &mall{pool: flowtest.OpenPool(t), patient: load(t, "10000"), impatient: load(t, "4000")}
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
	return &customer{Shop: shop, Player: flowtest.NewPlayer(t, m.pool, site, user.Username, user.Password), t: t}
}
