package audit

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// ListDrift lists what the flows find at the sites.
var ListDrift = contracts.Operation[ListDriftRequest, Drift]{
	Integration: integration,
	Name:        "list-drift",
	Method:      http.MethodGet,
	Path:        "/admin/v1/sites/drift",
	Summary:     "List how sites drift",
	Description: "Lists the steps whose first choice of element loses, and the required fields that are missing, in the version of each site that was played last: the last time, or within a day. " +
		"A first choice that loses is found by another alternative, so that the operation still works; it tells that the pages are changing. The counts are those of all instances; they lag a few seconds behind.",
	Access: contracts.AdminToken,
}

// ListDriftRequest says which sites to list.
type ListDriftRequest struct {
	Integration string `query:"integration" json:"integration,omitempty" doc:"Lists only sites of this integration." maxLength:"100" example:"marketplace"`
	Site        string `query:"site" json:"site,omitempty" doc:"Lists only the site of this name." maxLength:"100" example:"sandbox"`
	All         bool   `query:"all" json:"all,omitempty" doc:"Lists every step that has several alternatives, also where the first one wins." example:"false"`
}

// Validate returns an error of kind Invalid when a text can be no name.
func (r *ListDriftRequest) Validate() error {
	return check(time.Time{}, time.Time{}, map[string]string{"integration": r.Integration, "site": r.Site})
}

// Drift is what the flows find at the sites.
type Drift struct {
	Looks []Look `json:"looks" nullable:"false" doc:"What steps look for, in the order of sites, flows and steps; at most 1000."`
}

// Look is one thing that a step looks for.
type Look struct {
	Integration string     `json:"integration" doc:"Integration that the site belongs to." example:"marketplace"`
	Site        string     `json:"site" doc:"Name of the site." example:"sandbox"`
	SiteHash    string     `json:"siteHash" doc:"Hash of the site's folder: its version." example:"5f70bf18a086"`
	Flow        string     `json:"flow" doc:"File of the flow." example:"buy-now.json"`
	Step        string     `json:"step" doc:"Number of the step in it." example:"5"`
	Name        string     `json:"name" doc:"What the step does." example:"click #buy-now-button"`
	What        string     `json:"what" doc:"Whether the step looks for one of several alternatives, or needs a field of the result." enum:"first-choice,required-field" example:"first-choice"`
	FirstChoice string     `json:"firstChoice,omitempty" doc:"The alternative that is listed first." example:"#buy-now-button"`
	Field       string     `json:"field,omitempty" doc:"The required field."`
	Winner      string     `json:"winner,omitempty" doc:"The alternative that was found in the first one's stead, the last time that it lost." example:"aria/Buy now"`
	Won         []int64    `json:"won" nullable:"false" doc:"How often each alternative was found, in the order of the flow; of a field, how often it was there since it was missing first, and how often it was missing." example:"[120,7]"`
	Share       float64    `json:"share" doc:"Part of all these times in which the first choice lost, or the field was missing, from 0 to 1." example:"0.055"`
	DriftedAt   *time.Time `json:"driftedAt,omitempty" doc:"When that started last, as site.drifted records it; absent where it never has." example:"2026-11-21T09:30:00.584Z"`
	LostAt      *time.Time `json:"lostAt,omitempty" doc:"When that was the last time." example:"2026-11-21T09:30:00.584Z"`
	FirstAt     time.Time  `json:"firstAt" doc:"When the step was played first." example:"2026-11-20T17:02:11.120Z"`
	LastAt      time.Time  `json:"lastAt" doc:"When it was played last." example:"2026-11-21T09:30:00.584Z"`
}
