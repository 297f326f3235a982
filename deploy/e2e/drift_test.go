package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"net/http"
	"strings"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/vault"
	"integration.gateway/services/marketplace/sandbox"
)

// TestChangedPages orders while the shop's pages are more and more unlike those
// that the flows were written for.
func TestChangedPages(t *testing.T) {
	t.Parallel()
	s := startSearch(t)
	choice := marketplace.ItemChoice{ASIN: s.item("coffee").ASIN}
	s.expectDrift(choice)
	failed := s.expectPicture(choice)

	accountIDs := s.accounts()
	for _, account := range accountIDs {
		s.erase(account)
	}
	if _, err := s.vault.Picture(t.Context(), failed.AccountID, failed.CommandID); !errors.Is(err, vault.ErrErased) {
		t.Errorf("the picture after the erasure: %v", err)
	}
	s.expectProvenAndReplayed(s.events(), len(accountIDs))
}

// expectDrift orders, twice, while every id of the shop's pages is another one:
// the orders are placed, and it is recorded once that the steps have lost their
// first choice.
func (s *search) expectDrift(choice marketplace.ItemChoice) {
	s.Helper()
	drift := func(query string) []audit.Look {
		return result[audit.Drift](s.gateway, s.admin(audit.ListDrift.Path+query)).Looks
	}
	result[marketplace.Order](s.gateway, s.send(http.MethodPost, marketplace.BuyNow.Path, s.demonstration(), choice))
	s.await(func() error {
		if len(drift("?integration=marketplace&all=true")) == 0 {
			return errors.New("nothing is counted")
		}
		return nil
	})
	if looks := drift(""); len(looks) != 0 {
		s.Errorf("it drifts before anything has changed: %+v", looks)
	}

	s.faults(`{"markup": ["` + sandbox.NewIDs + `"]}`)
	for range 2 {
		result[marketplace.Order](s.gateway, s.send(http.MethodPost, marketplace.BuyNow.Path, s.demonstration(), choice))
	}
	if orders := s.state().Orders; len(orders) != 3 {
		s.Errorf("with the second choice of selectors the shop has %+v", orders)
	}
	var click audit.Look
	s.await(func() error {
		for _, l := range drift("?site=sandbox") {
			if l.Flow == "buy-now.json" && l.FirstChoice == "#buy-now-button" {
				if click = l; l.Won[1] == 2 {
					return nil
				}
			}
		}
		return fmt.Errorf("got %+v", click)
	})
	if click.Winner != "aria/Buy now" || click.Won[0] != 1 || click.DriftedAt == nil || click.Name != "click #buy-now-button" {
		s.Errorf("got %+v", click)
	}
	if looks := drift("?site=elsewhere"); len(looks) != 0 {
		s.Errorf("another site drifts: %+v", looks)
	}
	recorded := map[string]int{}
	for _, e := range s.events() {
		if e.Type != event.TypeSiteDrifted {
			continue
		}
		p, err := event.PayloadOf[event.SiteDrifted](e)
		if err != nil || e.Stream != event.SiteStream("marketplace", "sandbox") || e.Subject() != "evt.marketplace.buy-now.drifted" {
			s.Errorf("got %+v, %v", e, err)
		}
		recorded[p.Flow+" "+p.Step+" "+p.FirstChoice]++
	}
	for what, n := range recorded {
		if n != 1 {
			s.Errorf("%s: recorded %d times", what, n)
		}
	}
	if recorded[click.Flow+" "+click.Step+" "+click.FirstChoice] != 1 {
		s.Errorf("recorded %v, and not that of %+v", recorded, click)
	}
	want := fmt.Sprintf(`site_choices_total{alternative="2",flow="buy-now.json",integration="marketplace",site="sandbox",step=%q} 2`, click.Step)
	if metrics := s.metrics(); !strings.Contains(metrics, want) || !strings.Contains(metrics, "gateway_requests_total") {
		s.Errorf("/metrics lacks %s:\n%s", want, metrics)
	}
}

func (s *search) erase(account string) {
	s.Helper()
	path := strings.Replace(accounts.EraseAccount.Path, "{accountId}", account, 1)
	result[accounts.Account](s.gateway, s.send(http.MethodPost, path, tokens{access: s.env.AdminToken}, nil))
}

// metrics returns what Prometheus is told.
func (s *search) metrics() string {
	s.Helper()
	answer, err := http.Get(s.env.GatewayURL + "/metrics")
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

// expectPicture orders at the shop once it was redesigned, so that no selector
// matches: nothing is done, and the command, which it returns, refers to a
// picture of the page.
func (s *search) expectPicture(choice marketplace.ItemChoice) *audit.Command {
	s.Helper()
	before := len(s.state().Orders)
	s.faults(`{"markup": ["` + sandbox.Redesign + `"]}`)
	r := s.send(http.MethodPost, marketplace.BuyNow.Path, s.demonstration(), choice)
	if message := denied(s.gateway, r, http.StatusInternalServerError); !strings.Contains(message, "open-item.json step") {
		s.Errorf("the message does not name the step: %s", message)
	}
	s.expectEvents(r, "command.accepted", "command.completed")
	if orders := s.state().Orders; len(orders) != before {
		s.Errorf("the shop has %+v", orders)
	}
	id := r.header.Get(contracts.CommandIDHeader)
	failed := result[audit.CommandStory](s.gateway, s.admin("/admin/v1/commands/"+id)).Command
	if failed.State != "failed" || failed.Effect != "" || failed.Picture != vault.PictureName(id) {
		s.Fatalf("got %+v", failed)
	}
	text, err := s.vault.Picture(s.Context(), failed.AccountID, id)
	if err != nil {
		s.Fatal(err)
	}
	var picture flow.Picture
	if err := json.Unmarshal(text, &picture); err != nil {
		s.Fatal(err)
	}
	if _, err := jpeg.Decode(bytes.NewReader(picture.Image)); err != nil {
		s.Error(err)
	}
	near := strings.Join(picture.Near, "\n")
	if !strings.Contains(near, `button "Order at once"`) || strings.Contains(near, sandbox.Jane.Username) {
		s.Errorf("near:\n%s", near)
	}
	s.secret("address of the page in the picture", picture.Address)
	s.secret("line of the picture", picture.Near[0])
	s.expectNoneInClear(s.events())
	return failed
}
