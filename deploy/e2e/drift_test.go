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

// TestChangedPagesShowAsDrift orders, twice, while every id of the shop's pages
// is another one: the orders are placed, and it is recorded once that the steps
// have lost their first choice.
func TestChangedPagesShowAsDrift(t *testing.T) {
	t.Parallel()
	s := startSearch(t)
	choice := marketplace.ItemChoice{ASIN: s.item("coffee").ASIN}
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
		t.Errorf("it drifts before anything has changed: %+v", looks)
	}

	s.faults(`{"markup": ["` + sandbox.NewIDs + `"]}`)
	for range 2 {
		result[marketplace.Order](s.gateway, s.send(http.MethodPost, marketplace.BuyNow.Path, s.demonstration(), choice))
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
		t.Errorf("got %+v", click)
	}
	if looks := drift("?site=elsewhere"); len(looks) != 0 {
		t.Errorf("another site drifts: %+v", looks)
	}
	recorded := map[string]int{}
	for _, e := range s.events() {
		if e.Type != event.TypeSiteDrifted {
			continue
		}
		p, err := event.PayloadOf[event.SiteDrifted](e)
		if err != nil || e.Stream != event.SiteStream("marketplace", "sandbox") || e.Subject() != "evt.marketplace.buy-now.drifted" {
			t.Errorf("got %+v, %v", e, err)
		}
		recorded[p.Flow+" "+p.Step+" "+p.FirstChoice]++
	}
	for what, n := range recorded {
		if n != 1 {
			t.Errorf("%s: recorded %d times", what, n)
		}
	}
	if recorded[click.Flow+" "+click.Step+" "+click.FirstChoice] != 1 {
		t.Errorf("recorded %v, and not that of %+v", recorded, click)
	}
	want := fmt.Sprintf(`site_choices_total{alternative="2",flow="buy-now.json",integration="marketplace",site="sandbox",step=%q} 2`, click.Step)
	if metrics := s.metrics(); !strings.Contains(metrics, want) || !strings.Contains(metrics, "gateway_requests_total") {
		t.Errorf("/metrics lacks %s:\n%s", want, metrics)
	}
	accountIDs := s.accounts()
	for _, account := range accountIDs {
		s.erase(account)
	}
	s.expectProvenAndReplayed(s.events(), len(accountIDs))
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

// TestPagesThatNoSelectorMatchesLeaveAPicture orders at a shop that was
// redesigned: nothing is done, and the command's event refers to a picture of
// the page, which goes with its account.
func TestPagesThatNoSelectorMatchesLeaveAPicture(t *testing.T) {
	t.Parallel()
	s := startSearch(t)
	jane := s.link(sandbox.Jane.Username, sandbox.Jane.Password)
	choice := marketplace.ItemChoice{ASIN: s.item("coffee").ASIN}
	result[marketplace.BuyAgainList](s.gateway, s.send(http.MethodGet, marketplace.BuyAgain.Path, jane, nil)) // signs in
	s.faults(`{"markup": ["` + sandbox.Redesign + `"]}`)
	r := s.send(http.MethodPost, marketplace.BuyNow.Path, jane, choice)
	denied(s.gateway, r, http.StatusInternalServerError)
	id := r.header.Get(contracts.CommandIDHeader)
	if orders := s.state().Orders; len(orders) != 0 {
		t.Errorf("the shop has %+v", orders)
	}
	story := result[audit.CommandStory](s.gateway, s.admin("/admin/v1/commands/"+id))
	if story.Command.State != "failed" || story.Command.Effect != "" || story.Command.Picture != vault.PictureName(id) {
		t.Fatalf("got %+v", story.Command)
	}
	text, err := s.vault.Picture(t.Context(), story.Command.AccountID, id)
	if err != nil {
		t.Fatal(err)
	}
	var picture flow.Picture
	if err := json.Unmarshal(text, &picture); err != nil {
		t.Fatal(err)
	}
	if _, err := jpeg.Decode(bytes.NewReader(picture.Image)); err != nil {
		t.Error(err)
	}
	near := strings.Join(picture.Near, "\n")
	if !strings.Contains(near, `button "Order at once"`) || strings.Contains(near, sandbox.Jane.Username) {
		t.Errorf("near:\n%s", near)
	}
	s.secret("address of the page in the picture", picture.Address)
	s.secret("line of the picture", picture.Near[0])
	s.expectNoneInClear(s.events())
	s.erase(story.Command.AccountID)
	if _, err := s.vault.Picture(t.Context(), story.Command.AccountID, id); !errors.Is(err, vault.ErrErased) {
		t.Errorf("after the erasure: %v", err)
	}
}
