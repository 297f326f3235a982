package drift

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Look is what the whole fleet has found in one version of a site: of a step's
// alternatives, or of a required field that was missing once.
type Look struct {
	Integration string
	Site        string
	SiteHash    string // version of the site's folder
	Flow        string // file
	Step        string // number
	What        string // FirstChoice or RequiredField
	Sought      string // the first alternative; the field's name
	Name        string // what the step does
	Won         []int64
	FirstAt     time.Time
	LastAt      time.Time
	WonAt       *time.Time // when the first choice won last, or the field was there; nil: never
	LostAt      *time.Time // when another alternative won last, or the field was missing
	Winner      int        // that alternative, from 0; 0 while none has won
	Selector    string     // that one, as the flow has it
	DriftedAt   *time.Time // when the first choice started losing last
	Operation   string     // that found it out; empty while signing in
	Command     string
}

// Share is the part of all times in which the first choice lost, or the field
// was missing.
func (l Look) Share() float64 {
	var all int64
	for _, n := range l.Won {
		all += n
	}
	if all == 0 {
		return 0
	}
	return 1 - float64(l.Won[0])/float64(all)
}

const columns = `integration, site, hash, flow, step, what, sought, name, won, first_at, last_at, won_at, lost_at,
	coalesce(winner, 0), coalesce(selector, ''), drifted_at, coalesce(operation, ''), coalesce(command, '')`

// Filter says which looks to list: those to which all of what is given applies.
type Filter struct {
	Integration string
	Site        string
	Drifting    bool // only those that are lost at present: the last time, or within a day
}

// List returns looks of each site's version that was played last, in the order
// of sites, flows and steps; no more than limit.
func List(ctx context.Context, pool *pgxpool.Pool, f Filter, limit int) ([]Look, error) {
	rows, err := pool.Query(ctx, `
		SELECT `+columns+` FROM (
			SELECT *, max(last_at) OVER (PARTITION BY integration, site) = max(last_at) OVER (PARTITION BY integration, site, hash) AS current
			FROM site_looks) l
		WHERE l.current AND ($1 = '' OR l.integration = $1) AND ($2 = '' OR l.site = $2)
		  AND (NOT $3 OR l.lost_at IS NOT NULL AND (l.won_at IS NULL OR l.lost_at >= l.won_at OR l.lost_at > now() - interval '1 day'))
		ORDER BY l.integration, l.site LIMIT $4`,
		f.Integration, f.Site, f.Drifting, limit)
	if err != nil {
		return nil, fmt.Errorf("list what was found at sites: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Look])
	if err != nil {
		return nil, fmt.Errorf("list what was found at sites: %w", err)
	}
	slices.SortFunc(found, func(a, b Look) int {
		return cmp.Or(cmp.Compare(a.Integration, b.Integration), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Flow, b.Flow),
			slices.CompareFunc(strings.Split(a.Step, "."), strings.Split(b.Step, "."), compareNumbers),
			cmp.Compare(a.What, b.What), cmp.Compare(a.Sought, b.Sought))
	})
	return found, nil
}

// compareNumbers orders the parts of steps' numbers: 9 before 10.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
