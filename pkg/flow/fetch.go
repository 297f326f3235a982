package flow

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"integration.gateway/pkg/flow/placeholder"
)

// fetch is a request that is made inside the page, for the JSON behind it.
type fetch struct {
	url      placeholder.Template
	method   string
	headers  []named
	body     *jsonTemplate
	form     []named
	onStatus []statusCase
	errors   []refusal
}

// named is a header or a field of a form.
type named struct {
	name  string
	value placeholder.Template
}

// statusCase are the steps to play when the answer has a status.
type statusCase struct {
	status int
	steps  []*Step
}

// refusal reads out of an answer that the application says no.
type refusal struct {
	path    selector
	match   *regexp.Regexp
	outcome Outcome
	message placeholder.Template
}

// readers are the methods that change nothing: a browser may send them again
// by itself.
var readers = []string{"GET", "HEAD"}

func (f *fetch) changes() bool { return !slices.Contains(readers, f.method) }

// about names the request in messages, without values.
func (f *fetch) about() string { return f.method + " " + f.url.String() }

func (r *reader) fetch(n *node) *fetch {
	if n == nil {
		return nil
	}
	o := r.object(n, "fetch")
	defer o.close()
	f := &fetch{}
	f.readRequest(o)
	f.readOnStatus(o)
	f.readErrors(o)
	return f
}

func (f *fetch) readRequest(o *object) {
	o.asking = true
	defer func() { o.asking = false }()
	f.url = o.template(o.need("url"), "url", placeholder.URL)
	f.headers = o.headers(o.take("headers"))
	f.body = o.jsonTemplate(o.take("body"))
	f.form = o.named(o.take("form"), "form")
	carries := f.body != nil || o.has("form")
	if f.body != nil && o.has("form") {
		o.fault(o.node.line, "fetch has both body and form; one is meant")
	}
	f.method = o.oneOf("method", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
	switch {
	case f.method == "" && carries:
		f.method = "POST"
	case f.method == "":
		f.method = "GET"
	case carries && !f.changes():
		o.fault(o.node.line, "%s carries no body and no form", f.method)
	}
}

func (r *reader) named(n *node, what string) []named {
	var all []named
	for _, e := range r.object(n, what).node.entries {
		all = append(all, named{e.key, r.template(e.value, e.key, placeholder.Plain)})
	}
	return all
}

// forbidden are the headers that browsers set themselves, by the Fetch
// standard, besides all that begin with proxy- and sec-.
var forbidden = []string{
	"accept-charset", "accept-encoding", "access-control-request-headers", "access-control-request-method",
	"access-control-request-private-network", "connection", "content-length", "cookie", "cookie2", "date", "dnt", "expect", "host", "keep-alive",
	"origin", "referer", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "via",
}

func (r *reader) headers(n *node) []named {
	all := r.named(n, "headers")
	for i, h := range all {
		name := strings.ToLower(h.name)
		line := n.entries[i].line
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			r.fault(line, "%q is no name of a header", h.name)
		case slices.Contains(forbidden, name) || strings.HasPrefix(name, "proxy-") || strings.HasPrefix(name, "sec-"):
			r.fault(line, "the header %s is the browser's own to set", h.name)
		case slices.ContainsFunc(all[:i], func(before named) bool { return strings.EqualFold(before.name, name) }):
			r.fault(line, "the header %s is given twice", h.name)
		case !isHeaderValue(h.value.String()):
			r.fault(line, "the header %s: %s", h.name, headerRule)
		}
	}
	return all
}

const headerRule = "a value is one line of Latin letters, digits and signs"

// isHeaderValue tells what a header can carry: no control characters, and
// nothing that does not fit into a byte.
func isHeaderValue(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f || r > 0xff })
}

func (f *fetch) readOnStatus(o *object) {
	cases := o.object(o.take("onStatus"), "onStatus")
	for _, e := range cases.node.entries {
		status, err := strconv.Atoi(e.key)
		if err != nil || status < 100 || status > 599 {
			o.fault(e.line, "onStatus: %q is no status of HTTP", e.key)
			continue
		}
		f.onStatus = append(f.onStatus, statusCase{status, o.steps(e.value, o.step+".onStatus."+e.key+".")})
	}
}

// onStatusOf returns the steps for a status, nil if there are none.
func (f *fetch) onStatusOf(status int) *statusCase {
	i := slices.IndexFunc(f.onStatus, func(c statusCase) bool { return c.status == status })
	if i < 0 {
		return nil
	}
	return &f.onStatus[i]
}

func (f *fetch) readErrors(o *object) {
	n := o.take("errors")
	if n == nil {
		return
	}
	if n.kind != isList {
		o.fault(n.line, "errors must be a list")
		return
	}
	for _, item := range n.items {
		e := o.object(item, "an error")
		path := e.need("path")
		refused := refusal{path: e.path(path), match: e.regexp("match")}
		e.need("outcome")
		refused.outcome = Outcome(e.oneOf("outcome", outcomes...))
		refused.message = e.template(e.take("message"), "message", placeholder.Plain)
		f.errors = append(f.errors, refused)
		e.close()
	}
}

// regexp reads a regular expression, nil if there is none.
func (o *object) regexp(key string) *regexp.Regexp {
	n := o.take(key)
	text := o.scalar(n, key)
	if text == "" {
		return nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		o.fault(n.line, "%s: %v", key, err)
	}
	return re
}
