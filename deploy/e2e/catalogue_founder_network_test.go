package e2e_test

import (
	"net/http"
	"slices"
	"time"

	"integration.gateway/contracts/foundernetwork"
	"integration.gateway/services/foundernetwork/sandbox"
)

// dealSeed is how every stand-in of the network starts out.
var dealSeed = sandbox.New()

// Deals of the seed.
var (
	freeDeal   = firstDeal(func(d sandbox.Deal) bool { return !d.Locked() && !d.RunOut && d.Code != "" })
	lockedDeal = firstDeal(sandbox.Deal.Locked)
	takenDeal  = firstDeal(func(d sandbox.Deal) bool { return d.RunOut && !d.Locked() })
	oldUse     = dealSeed.State().Uses[0]
)

func firstDeal(fits func(sandbox.Deal) bool) sandbox.Deal {
	return dealSeed.Deals()[slices.IndexFunc(dealSeed.Deals(), fits)]
}

func dealsPath(query string) string { return "/v1/founder-network/deals?query=" + query }

func usingPath(id string) string { return "/v1/founder-network/deals/" + id + "/using" }

// foundDeals is what the contract says of deals of the network.
func foundDeals(g *gateway, deals []sandbox.Deal) []foundernetwork.Deal {
	g.Helper()
	found := []foundernetwork.Deal{}
	for _, d := range deals {
		deal := foundernetwork.Deal{
			DealID: d.ID, Title: d.Title, Partner: d.Partner, Category: d.Category, Description: d.Description, Eligibility: d.Eligibility,
			Savings: d.Savings, DealURL: g.env.SandboxURLs[g.about()] + "/deals/" + d.ID, InUse: d.ID == oldUse.DealID,
		}
		if !d.LastDay.IsZero() {
			deal.ExpirationDate = d.LastDay.Format(time.DateOnly)
		}
		found = append(found, deal)
	}
	return found
}

// checkMarked compares what marking a deal has given with the network's state,
// and marks it once more, which changes nothing.
func checkMarked(g *gateway, marked foundernetwork.MarkedDeal) {
	g.Helper()
	uses := stateOf[sandbox.State](g).Uses
	last := uses[len(uses)-1]
	if len(uses) != 2 || last.User != sandbox.Jane.Username || last.DealID != freeDeal.ID {
		g.Errorf("the network has the uses %+v", uses)
	}
	want := foundernetwork.MarkedDeal{
		DealID: freeDeal.ID, InUse: true, Title: freeDeal.Title, RedemptionCode: freeDeal.Code, RedemptionURL: freeDeal.Link, MarkedAt: &last.At,
	}
	expectEqual(g, want, marked)
	again := g.send(http.MethodPost, usingPath(freeDeal.ID), g.demonstration(), nil)
	expectEqual(g, want, result[foundernetwork.MarkedDeal](g, again))
	g.expectEvents(again, readEvents...)
	expectEqual(g, uses, stateOf[sandbox.State](g).Uses)
}

var founderNetworkCases = []operationCase{
	{
		op: foundernetwork.SearchDeals, path: dealsPath("founders"),
		check: checked(func(g *gateway, all foundernetwork.SearchDealsResult) {
			expectEqual(g, foundDeals(g, dealSeed.Deals()), all.Deals)
			for query, want := range map[string]string{"CREDITS+cloud": "credits cloud", "a+deal+that+nobody+offers": "nobody offers"} {
				r := g.send(http.MethodGet, dealsPath(query), g.demonstration(), nil)
				expectEqual(g, foundDeals(g, dealSeed.Find(want)), result[foundernetwork.SearchDealsResult](g, r).Deals)
			}
		}),
		refuses: []refusalCase{
			{name: "no query", path: "/v1/founder-network/deals", status: http.StatusBadRequest, says: "query"},
		},
	},
	{
		op: foundernetwork.MarkDeal, path: usingPath(freeDeal.ID), check: checked(checkMarked),
		refuses: []refusalCase{
			{name: "unknown deal", path: usingPath("no-such-deal"), status: http.StatusNotFound, says: "no such deal", events: rejectedEvents},
			{name: "odd identifier", path: usingPath("%22%3E%3Cb%3E%27"), status: http.StatusNotFound, says: "no such deal", events: rejectedEvents},
			{name: "higher plan", path: usingPath(lockedDeal.ID), status: http.StatusBadRequest, says: "members of the plan", events: rejectedEvents},
			{name: "run out", path: usingPath(takenDeal.ID), status: http.StatusBadRequest, says: "are taken", events: notAppliedEvents},
		},
	},
}
