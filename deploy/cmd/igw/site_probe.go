package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/probe"
)

type siteProbe struct {
	URL  string        `arg:"" name:"url" help:"The page: an address, or a path of the site's."`
	Site string        `type:"existingdir" placeholder:"FOLDER" help:"The site's folder, for its addresses and for signing in."`
	Wait time.Duration `default:"10s" help:"How long the page may go on asking for things."`
	siteAddress
	visitFlags
}

// maxProbe bounds the wait.
const maxProbe = 10 * time.Minute

func (c *siteProbe) Run(ctx context.Context, p *printer, con *console) error {
	if c.Wait <= 0 || c.Wait > maxProbe {
		return fmt.Errorf("--wait must be longer than nothing, and %s at most", maxProbe)
	}
	site, err := c.site(con)
	if err != nil {
		return err
	}
	address, err := addressAt(site, c.URL)
	if err != nil {
		return err
	}
	visitor, err := c.visitFlags.open(ctx, con, site)
	if err != nil {
		return err
	}
	defer visitor.close()
	var report *probe.Report
	err = visitor.visit(ctx, func(page *browser.Page) error {
		if visitor.account != nil {
			if _, err := site.SignIn(ctx, page.Rod(), visitor.account); err != nil {
				return fmt.Errorf("sign in: %w", err)
			}
		}
		report, err = probe.Page(ctx, page.Rod(), address, c.Wait)
		return err
	})
	if err != nil {
		return err
	}
	if p.json {
		return p.encode(report)
	}
	return printProbe(p, report)
}

// site is the site that the page belongs to; without a folder, one of the
// page's own origin.
func (c *siteProbe) site(con *console) (*flow.Site, error) {
	if c.Site != "" {
		site, _, err := siteFolder{Folder: c.Site, siteAddress: c.siteAddress}.openSound(con)
		return site, err
	}
	if c.given() {
		return nil, errors.New("signing in needs --site, the folder that tells how")
	}
	base := c.BaseURL
	if u, err := url.Parse(c.URL); err == nil && base == "" && u.Host != "" {
		base = u.Scheme + "://" + u.Host
	}
	site, err := (&flow.Site{Name: "probe"}).WithBaseURL(base)
	if err != nil {
		return nil, fmt.Errorf("%q is no http or https address; a path needs --site or --base-url", c.URL)
	}
	return site, nil
}

// addressAt is an address of the site, whole.
func addressAt(site *flow.Site, address string) (string, error) {
	if strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") {
		address = site.BaseURL + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("%q is neither an address nor a path", address)
	}
	if origin := u.Scheme + "://" + strings.ToLower(u.Host); !slices.Contains(site.Origins(), origin) {
		return "", fmt.Errorf("%s is none of the site's origins, which are %s", origin, strings.Join(site.Origins(), ", "))
	}
	return address, nil
}

func printProbe(p *printer, r *probe.Report) error {
	fmt.Fprintf(p.w, "%s  %s\n", printable(r.Address), printable(r.Title))
	fmt.Fprintln(p.w, "\nJSON that the page asks for"+none(len(r.Requests)))
	for _, request := range r.Requests {
		if err := printRequest(p, request); err != nil {
			return err
		}
	}
	fmt.Fprintln(p.w, "\nrows that repeat"+none(len(r.Groups)))
	for _, g := range r.Groups {
		if err := printGroup(p, g); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		title    string
		elements []probe.Element
	}{{"fields, buttons and links", r.Controls}, {"other places", r.Places}} {
		fmt.Fprintln(p.w, "\n"+part.title+none(len(part.elements)))
		var rows [][]string
		for _, e := range part.elements {
			rows = append(rows, []string{"  " + e.Kind, abridged(e.Label, 40), strings.Join(e.Selectors, "   ")})
		}
		if err := columns(p.w, rows); err != nil {
			return err
		}
	}
	return nil
}

func none(n int) string {
	if n == 0 {
		return ": none"
	}
	return ""
}

func printRequest(p *printer, r probe.Request) error {
	fmt.Fprintf(p.w, "  %s %s  %d\n", printable(r.Method), printable(r.Address), r.Status)
	for _, h := range r.Headers {
		fmt.Fprintf(p.w, "    %s: %s\n", printable(h.Name), printable(h.Value))
	}
	if r.Body != "" {
		fmt.Fprintf(p.w, "    body: %s\n", printable(r.Body))
	}
	var rows [][]string
	for _, v := range r.Answer {
		rows = append(rows, []string{"    " + v.Path, v.Kind, v.Sample})
	}
	return columns(p.w, rows)
}

// printGroup shows rows as an extract step reads them.
func printGroup(p *printer, g probe.Group) error {
	rows := [][]string{{"  each: " + quotedYAML(g.Each), fmt.Sprintf("# %d rows", g.Rows)}, {"  fields:"}}
	for _, f := range g.Fields {
		source := quotedYAML(f.Selector)
		if f.Attribute != "" {
			source = fmt.Sprintf("{selector: %s, attribute: %s, as: url}", source, f.Attribute)
		}
		rows = append(rows, []string{"    " + f.Name + ": " + source, "# " + abridged(f.Sample, 50)})
	}
	return columns(p.w, rows)
}

// quotedYAML is a text in quotes, as YAML and JSON have it.
func quotedYAML(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text can always be written
	return strings.TrimSpace(b.String())
}
