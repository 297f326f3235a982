package audit

import (
	"context"

	"integration.gateway/contracts/audit"
	"integration.gateway/pkg/drift"
)

// maxLooks bounds the answer: what steps look for that drift.
const maxLooks = 1000

// ListDrift lists what the flows find at the sites.
func (s *Service) ListDrift(ctx context.Context, req *audit.ListDriftRequest) (*audit.Drift, error) {
	found, err := drift.List(ctx, s.pool, drift.Filter{Integration: req.Integration, Site: req.Site, Drifting: !req.All}, maxLooks)
	if err != nil {
		return nil, err
	}
	answer := &audit.Drift{Looks: []audit.Look{}}
	left := room{answerBytes}
	for _, l := range found {
		entry := look(l)
		if fits, err := left.takes(entry); err != nil || !fits {
			return answer, err
		}
		answer.Looks = append(answer.Looks, entry)
	}
	return answer, nil
}

// look returns a look as answers have it.
func look(l drift.Look) audit.Look {
	entry := audit.Look{
		Integration: l.Integration, Site: l.Site, SiteHash: l.SiteHash, Flow: l.Flow, Step: l.Step, Name: l.Name, What: l.What,
		Winner: l.Selector, Won: l.Won, Share: l.Share(), DriftedAt: l.DriftedAt, LostAt: l.LostAt, FirstAt: l.FirstAt, LastAt: l.LastAt,
	}
	if l.What == drift.RequiredField {
		entry.Field = l.Sought
	} else {
		entry.FirstChoice = l.Sought
	}
	return entry
}
