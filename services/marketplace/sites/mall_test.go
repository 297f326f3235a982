package sites_test

import (
	"encoding/json"
	"os"
	"testing"

	contracts "integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
	"integration.gateway/services/marketplace/sandbox"
)

// customer is a user of a shop of its own, and the browser that the flows are
// played in.
type customer struct {
	*sandbox.Shop
	*flowtest.Player
}

// succeed plays an operation that must succeed.
func (c customer) succeed(t *testing.T, operation string, request map[string]any, result any) *flowtest.Attempt {
	t.Helper()
	a := c.Attempt(operation, request)
	if raw := c.Succeeds(t, a); json.Unmarshal(raw, result) != nil {
		t.Fatalf("%s: %s", operation, raw)
	}
	return a
}

// mall gives each group of tests a shop and a browser context of its own.
type mall struct {
	pool      *browser.Pool
	patient   *flow.Site // as it is
	impatient *flow.Site // for those that wait for what does not come
}

func openMall(t *testing.T) *mall {
	t.Helper()
	folder := os.DirFS("sandbox")
	return &mall{
		pool:      flowtest.OpenPool(t),
		patient:   flowtest.LoadSite(t, folder, flowtest.Patient, contracts.Operations...),
		impatient: flowtest.LoadSite(t, folder, flowtest.Impatient, contracts.Operations...),
	}
}

func (m *mall) customer(t *testing.T, site *flow.Site) customer {
	t.Helper()
	shop := sandbox.New()
	return customer{shop, flowtest.Visit(t, m.pool, site, shop, sandbox.Jane.Username, sandbox.Jane.Password)}
}
