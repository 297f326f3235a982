package flow

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"integration.gateway/pkg/flow/tab"
)

// fetching is an action that may make a request.
type fetching interface {
	request() *fetch // nil: it reads the page
	times() int      // how often the request may be made; 0: any number of times
}

// request fills a fetch with the values at hand, local storage's among them.
func (p *player) request(ctx context.Context, s *Step, f *fetch) (tab.Request, error) {
	r := tab.Request{Method: f.method, Headers: map[string]string{"Accept": "application/json, text/plain, */*"}}
	if err := p.atSite(ctx, s); err != nil {
		return r, err
	}
	if err := p.readStorage(ctx, s); err != nil {
		return r, err
	}
	address, err := p.fill(f.url)
	if err != nil {
		return r, err
	}
	r.URL = p.site.absolute(address)
	if err := p.allow(r.URL); err != nil { // that of an address without placeholders too
		return r, err
	}
	if err := p.fillBody(f, &r); err != nil {
		return r, err
	}
	return r, p.fillHeaders(f, &r)
}

// atSite opens the site when the page is not there yet: a request from
// elsewhere has neither its cookies nor its origin.
func (p *player) atSite(ctx context.Context, s *Step) error {
	if _, err := p.look(ctx, s, p.timeoutOf(s), tab.Goal{Kind: tab.Ready}); err != nil {
		return err
	}
	if p.site.allows(p.tab.Address()) {
		return nil
	}
	return p.navigate(ctx, cmp.Or(p.site.Home(), p.site.BaseURL+"/"))
}

// readStorage reads the items of local storage that the step's placeholders
// name.
func (p *player) readStorage(ctx context.Context, s *Step) error {
	var names []string
	for _, u := range s.uses {
		for _, name := range u.template.Names() {
			if isStored(name) {
				names = append(names, name[1], strings.Join(name[1:], "."))
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	var err error
	p.stored, err = p.tab.Stored(ctx, names)
	return err
}

func isStored(name []string) bool { return len(name) > 1 && name[0] == "localStorage" }

// storedItem finds an item of local storage, or what lies inside one that is
// JSON.
func (p *player) storedItem(name []string) (any, bool) {
	var v any
	v, ok := p.stored[strings.Join(name, ".")]
	if !ok {
		inner, err := parseJSON([]byte(p.stored[name[0]]))
		if err != nil {
			return nil, false
		}
		v, ok = dig(inner, name[1:])
	}
	if text, is := v.(string); is && !slices.Contains(p.tokens, text) {
		p.tokens = append(p.tokens, text)
	}
	return v, ok
}

func (p *player) fillBody(f *fetch, r *tab.Request) error {
	switch {
	case f.body != nil:
		body, err := f.body.fill(p)
		if err != nil {
			return err
		}
		text := string(body)
		r.Body, r.Headers["Content-Type"] = &text, "application/json"
	case f.form != nil:
		var parts []string
		for _, field := range f.form {
			value, err := p.fill(field.value)
			if err != nil {
				return err
			}
			parts = append(parts, url.QueryEscape(field.name)+"="+url.QueryEscape(value))
		}
		text := strings.Join(parts, "&")
		r.Body, r.Headers["Content-Type"] = &text, "application/x-www-form-urlencoded"
	}
	return nil
}

func (p *player) fillHeaders(f *fetch, r *tab.Request) error {
	for _, h := range f.headers {
		value, err := p.fill(h.value)
		if err != nil {
			return err
		}
		if !isHeaderValue(value) {
			return &Failure{Outcome: Invalid, Message: fmt.Sprintf("the header %s: %s", h.name, headerRule)}
		}
		r.Headers[http.CanonicalHeaderKey(h.name)] = value
	}
	return nil
}

// reply is an answer that was judged: it is read, or steps are played instead.
type reply struct {
	source  *jsonSource
	instead *statusCase
}

// ask makes the request of a step once.
func (p *player) ask(ctx context.Context, s *Step, f *fetch) (reply, error) {
	r, err := p.request(ctx, s, f)
	if err != nil {
		return reply{}, err
	}
	if f.changes() {
		if err := p.mayAct(ctx, s); err != nil {
			return reply{}, err
		}
	}
	limit := p.timeoutOf(s)
	answer, err := p.tab.Ask(ctx, limit, r)
	if err != nil {
		return reply{}, err
	}
	switch answer.Failed {
	case tab.Unanswered:
		return reply{}, p.failure(s, Unavailable, "no answer came: the network failed, or the browser refused the request (CORS, or a redirect to another origin than the site's)")
	case tab.Late:
		return reply{}, p.failure(s, Unavailable, "no answer came within %s", limit)
	case tab.TooLarge:
		return reply{}, p.failure(s, Plain, "the answer is larger than %d MiB", tab.MaxAnswer>>20)
	}
	if !p.site.allows(answer.URL) {
		return reply{}, p.failure(s, Plain, "%s", (&tab.RefusedError{Origin: originOf(answer.URL)}).Error())
	}
	return p.judge(ctx, s, f, answer)
}

// judge tells what an answer means: a refusal, another outcome, or something
// to read.
func (p *player) judge(ctx context.Context, s *Step, f *fetch, a tab.Answer) (reply, error) {
	var value any
	if a.JSON {
		var err error
		if value, err = parseJSON([]byte(a.Text)); err != nil {
			return reply{}, p.failure(s, Plain, "the answer cannot be read: it nests too deep")
		}
	}
	r := reply{source: newSource(value, a.URL), instead: f.onStatusOf(a.Status)}
	if a.Status != http.StatusUnauthorized {
		if err := p.refusal(s, f, r.source); err != nil {
			return r, err
		}
	}
	switch {
	case r.instead != nil:
		return r, nil
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden:
		return r, p.failure(s, SignedOut, "the application answered with the status %d", a.Status)
	case a.Status == http.StatusNotFound:
		failure := p.failure(s, NotFound, "the application does not know what was asked for (status 404)")
		failure.Declared = p.effectKind == ""
		return r, failure
	case a.Status < 200 || a.Status > 299:
		return r, p.unlessSignedOut(ctx, s, p.failure(s, Unavailable, "the application answered with the status %d", a.Status))
	case !a.JSON && a.Text != "":
		kind, _, _ := strings.Cut(a.Type, ";")
		return r, p.unlessSignedOut(ctx, s, p.failure(s, Plain, "the answer is not JSON but %s", cmp.Or(kind, "of no named type")))
	}
	return r, nil
}

// unlessSignedOut looks for the proof that the account is still signed in,
// before a failure is blamed on anything else. After the effect nothing is
// opened any more.
func (p *player) unlessSignedOut(ctx context.Context, s *Step, otherwise *Failure) error {
	in := p.site.signIn
	if in == nil || p.job.Account == nil || p.public || p.signing || p.effectKind != "" {
		return otherwise
	}
	state, err := p.atHome(ctx)
	if err == nil && state != &in.signedIn {
		return p.failure(s, SignedOut, "the application has signed the account out")
	}
	return otherwise
}

// refusal reads out of an answer that the application says no. It is the
// application's own word, as in a fail step.
func (p *player) refusal(s *Step, f *fetch, j *jsonSource) error {
	for _, e := range f.errors {
		q, err := j.query(p, &e.path)
		if err != nil {
			return err
		}
		v, err := j.walker.first(q, j.value)
		if err != nil {
			return p.failure(s, Plain, "%v", err)
		}
		text, says := e.says(v)
		if !says {
			continue
		}
		quotes := e.message.IsZero() || len(e.message.Names()) > 0
		if !e.message.IsZero() {
			if text, err = p.fill(e.message); err != nil {
				return err
			}
		}
		if text = p.abridged(text); text == "" {
			text = fmt.Sprintf("the application answered %q without a reason", e.outcome)
		}
		failure := p.failure(s, e.outcome, "%s", text)
		failure.Declared, failure.Quotes = true, quotes
		return failure
	}
	return nil
}

// says reports whether a value is a refusal, and its text.
func (e refusal) says(v any) (text string, says bool) {
	switch v := v.(type) {
	case nil:
		return "", false
	case bool:
		if text, says = "", v; e.match != nil {
			text = fmt.Sprint(v)
		}
	case []any:
		says = len(v) > 0
	case map[string]any:
		says = len(v) > 0
	default:
		text = strings.Join(strings.Fields(fmt.Sprint(v)), " ") // one line, for the message and for match
		says = text != ""
	}
	if e.match == nil {
		return text, says
	}
	groups := e.match.FindStringSubmatch(text)
	if groups == nil {
		return "", false
	}
	return groups[min(1, len(groups)-1)], true
}
