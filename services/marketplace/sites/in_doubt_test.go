package sites_test

import (
	"encoding/json"
	"testing"

	contracts "integration.gateway/contracts/marketplace"
	kit "integration.gateway/pkg/sandbox"
)

// inDoubt plays an operation whose answer is lost behind its effect step.
func (c *customer) inDoubt(operation string, when kit.When, path string) {
	c.t.Helper()
	c.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Method: "POST", Path: path, When: when}, Status: 502}}})
	failure := c.play(operation, map[string]any{"asin": dripper}, nil)
	if failure == nil || failure.Declared || !failure.EffectStarted {
		c.t.Fatalf("failure %+v, want the effect in doubt", failure)
	}
	c.SetFaults(kit.Faults{})
}

func lostAnswer(_ *testing.T, c *customer) {
	c.inDoubt("buy-now", kit.After, "/buy-now")
	verdict := c.reconcile("buy-now")
	if !verdict.Applied {
		c.t.Fatal("not applied, want applied")
	}
	var order contracts.Order
	if err := json.Unmarshal(verdict.Evidence, &order); err != nil {
		c.t.Fatal(err)
	}
	c.ordered(order)
}

func lostRequest(t *testing.T, c *customer) {
	c.inDoubt("buy-now", kit.Before, "/buy-now")
	if c.reconcile("buy-now").Applied {
		t.Error("applied, want not applied")
	}
}

// oldOrder has ordered the item so long ago that the first page of the history
// does not show it any more.
func oldOrder(t *testing.T, c *customer) {
	c.succeed("buy-now", map[string]any{"asin": dripper}, &contracts.Order{})
	var found contracts.SearchResults
	c.succeed("search", map[string]any{"query": "mug"}, &found)
	for range 10 {
		c.succeed("buy-now", map[string]any{"asin": found.Items[0].ASIN}, &contracts.Order{})
	}
	c.inDoubt("buy-now", kit.Before, "/buy-now")
	if c.reconcile("buy-now").Applied {
		t.Error("applied, want not applied")
	}
}

func lostCartAnswer(t *testing.T, c *customer) {
	c.inDoubt("add-to-cart", kit.After, "/cart")
	verdict := c.reconcile("add-to-cart")
	var added contracts.CartAddition
	if err := json.Unmarshal(verdict.Evidence, &added); err != nil || !verdict.Applied {
		t.Fatalf("applied %v, evidence %s", verdict.Applied, verdict.Evidence)
	}
	if added.ASIN != dripper || added.Quantity != 1 || added.CartCount != 1 || added.Subtotal.Amount != "26.49" {
		t.Errorf("evidence %+v", added)
	}
}
