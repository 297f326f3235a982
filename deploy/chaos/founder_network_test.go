package chaos_test

import (
	"slices"
	"strings"

	"integration.gateway/contracts/foundernetwork"
	"integration.gateway/services/foundernetwork/sandbox"
)

// newFounderNetwork opens the network. Each trial marks a deal of its own.
func newFounderNetwork() *application {
	site := sandbox.New()
	used := site.State().Uses
	free := slices.DeleteFunc(slices.Clone(site.Deals()), func(d sandbox.Deal) bool {
		inUse := slices.ContainsFunc(used, func(u sandbox.Use) bool { return u.DealID == d.ID })
		return inUse || d.Locked() || d.RunOut
	})
	mark := &operation{
		Info: foundernetwork.MarkDeal.Info(), opens: "GET /deals/{id}", sends: "POST /api/deals/{id}/using", once: true,
	}
	mark.wish = func(n int) wish {
		id := free[n%len(free)].ID
		return wish{mark: id, path: strings.Replace(mark.Path, "{dealId}", id, 1)}
	}
	read := &operation{Info: foundernetwork.SearchDeals.Info()}
	read.wish = func(int) wish { return wish{path: read.Path + "?query=credits"} }
	operations := append(often(9, mark), read)
	return &application{
		name: "founder-network", site: site, read: read,
		lanes: []lane{{sandbox.Jane, operations}, {sandbox.Amir, operations}, {sandbox.Jane, operations}},
		changes: func() (all []change) {
			for _, u := range site.State().Uses {
				all = append(all, slices.Repeat([]change{{operation: mark.Name, user: u.User, about: u.DealID}}, u.Times)...)
			}
			return all
		},
	}
}
