package main

import (
	"context"
	"fmt"

	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
)

type siteDrift struct {
	Integration string `help:"Only sites of this integration."`
	Site        string `help:"Only the site of this name."`
	All         bool   `help:"Every step that has several alternatives, also where the first one wins."`
}

func (c *siteDrift) Run(ctx context.Context, gateway *client, p *printer, con *console) error {
	found, err := call(ctx, gateway, audit.ListDrift, &audit.ListDriftRequest{Integration: c.Integration, Site: c.Site, All: c.All})
	if err != nil {
		return err
	}
	if len(found.Looks) == 0 && !p.json {
		_, err := fmt.Fprintln(con.stdout, "No step has lost its first choice of late.")
		return err
	}
	header := []string{"SITE", "STEP", "LOOKS FOR", "FINDS INSTEAD", "SHARE", "SINCE"}
	return list(p, found.Looks, header, func(l audit.Look) []string {
		return []string{
			l.Integration + "/" + l.Site, l.Flow + " " + l.Step + " (" + l.Name + ")", soughtBy(l), instead(l), shareOf(l), when(l.DriftedAt),
		}
	})
}

// soughtBy is what a step looks for first.
func soughtBy(l audit.Look) string {
	if l.What == event.DriftOfRequiredField {
		return "field " + l.Field
	}
	return l.FirstChoice
}

// instead is what was found when that was not.
func instead(l audit.Look) string {
	if l.What == event.DriftOfRequiredField {
		return "(missing)"
	}
	return l.Winner
}

// shareOf says how many of the looks were lost.
func shareOf(l audit.Look) string {
	var all int64
	for _, n := range l.Won {
		all += n
	}
	return fmt.Sprintf("%.0f %% of %d", 100*l.Share, all)
}
