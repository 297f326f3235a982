package drift

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
)

// Run adds the counts to the table every few seconds, until ctx ends, and then
// what is left of them.
func (r *Recorder) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
			r.flush(ctx)
		case <-ctx.Done():
		}
	}
	r.flush(context.WithoutCancel(ctx))
}

func (r *Recorder) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushLimit)
	defer cancel()
	if err := r.Flush(ctx); err != nil && ctx.Err() == nil {
		r.logger.Warn("how the sites drift could not be recorded; it is tried again", "error", err)
	}
}

// Flush adds the counts to the table at once, and records each drift that
// nobody has recorded yet. After an error the next one goes on.
func (r *Recorder) Flush(ctx context.Context) error {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	looks := r.take()
	concerned := integrations(looks)
	for _, name := range r.untold {
		concerned[name] = true
	}
	if len(concerned) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(concerned))
	drifts, err := r.count(ctx, names, looks)
	if err != nil {
		r.putBack(looks)
		return err
	}
	r.untold = names // until all of them are told
	var errs []error
	for _, d := range drifts {
		errs = append(errs, r.tell(ctx, d))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	r.untold = nil
	return nil
}

// count adds counts to the table, and returns the drifts that are to be told.
func (r *Recorder) count(ctx context.Context, integrations []string, looks map[key]look) ([]Look, error) {
	type row struct {
		key
		look
	}
	all := []row{} // never null
	for k, l := range looks {
		all = append(all, row{k, l})
	}
	encoded, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode the counts of sites: %w", err)
	}
	rows, err := r.pool.Query(ctx, `SELECT `+columns+` FROM count_site_looks($1, $2)`, integrations, string(encoded))
	if err != nil {
		return nil, fmt.Errorf("add to the counts of sites: %w", err)
	}
	drifts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Look])
	if err != nil {
		return nil, fmt.Errorf("add to the counts of sites: %w", err)
	}
	return drifts, nil
}

// attempts bounds how often an append is tried again because another process
// has added to the stream.
const attempts = 10

// tell records a drift in its site's stream, unless it is there already.
func (r *Recorder) tell(ctx context.Context, d Look) error {
	e, err := d.event()
	if err != nil {
		return err
	}
	stream := event.SiteStream(d.Integration, d.Site)
	for range attempts {
		var past []event.Event
		if past, err = r.log.Stream(ctx, stream); err != nil {
			break
		}
		if slices.ContainsFunc(past, func(p event.Event) bool { return p.ID == e.ID }) {
			break
		}
		var last event.Event
		if len(past) > 0 {
			last = past[len(past)-1]
		}
		if _, err = r.log.Append(ctx, stream, last, e); !errors.Is(err, eventlog.ErrConflict) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("record that the site %s of %s drifts: %w", d.Site, d.Integration, err)
	}
	_, err = r.pool.Exec(ctx, `SELECT tell_site_drift($1, $2, $3, $4, $5, $6, $7, $8)`,
		d.Integration, d.Site, d.SiteHash, d.Flow, d.Step, d.What, d.Sought, d.DriftedAt)
	if err != nil {
		return fmt.Errorf("note that the drift of the site %s of %s is recorded: %w", d.Site, d.Integration, err)
	}
	return nil
}

// event is the event of a drift. Whoever makes it gives it the same id.
func (l Look) event() (event.Event, error) {
	p := event.SiteDrifted{Site: l.Site, SiteHash: l.SiteHash, Flow: l.Flow, Step: l.Step, Name: l.Name, What: l.What}
	if l.What == RequiredField {
		p.Field = l.Sought
	} else {
		p.FirstChoice, p.Winner = l.Sought, l.Selector
	}
	e, err := event.New(p)
	if err != nil {
		return e, err
	}
	parts := []string{
		e.Type, l.Integration, l.Site, l.SiteHash, l.Flow, l.Step, l.What, l.Sought, l.DriftedAt.UTC().Format(time.RFC3339Nano),
	}
	e.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte(strings.Join(parts, "\x00"))).String()
	e.Integration, e.Operation, e.Command = l.Integration, l.Operation, l.Command
	return e, nil
}
