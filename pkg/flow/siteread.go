package flow

import (
	"net/url"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // a site's time zone is known on machines without a database of them

	"integration.gateway/pkg/flow/datepattern"
	"integration.gateway/pkg/flow/placeholder"
)

// defaultTimeout is the Recorder's own for a step.
const defaultTimeout = 5 * time.Second

// site reads site.yaml. Flows are named here and read afterwards.
func (r *reader) site(n *node) *siteFile {
	o := r.object(n, "the site")
	defer o.close()
	s := &Site{operations: map[string]*operation{}, flows: map[string]*Flow{}, defaults: map[string]any{}}
	f := &siteFile{Site: s}
	s.Name = o.needText("site")
	s.Integration = o.needText("integration")
	if base := o.need("baseUrl"); base != nil {
		var err error
		if s.BaseURL, err = baseURL(r.scalar(base, "baseUrl")); err != nil {
			r.fault(base.line, "%v", err)
		}
	}
	for _, text := range o.texts("origins") {
		u, err := url.Parse(text)
		if err != nil || originOf(text) == "" || strings.Trim(u.Path, "/") != "" || strings.ContainsAny(text, "?#") {
			r.fault(o.node.get("origins").line, "origin %q must be a scheme and a host, maybe with a port, and no more", text)
		}
		s.origins = append(s.origins, originOf(text))
	}
	s.timeout = o.millis("timeout", defaultTimeout)
	if s.timeout == 0 {
		r.fault(o.node.get("timeout").line, "timeout must be at least 1")
	}
	if v := o.take("viewport"); v != nil {
		s.viewport = &setViewport{}
		inner := r.object(v, "viewport")
		s.viewport.read(inner)
		inner.close()
	}
	r.readFormats(o, s)
	if d := o.take("defaults"); d != nil {
		s.defaults, _ = d.plain().(map[string]any)
		if s.defaults == nil {
			r.fault(d.line, "defaults must be an object")
		}
	}
	r.readEffects(o, s)
	r.readOverlays(o, s)
	if in := o.take("signIn"); in != nil {
		r.readSignIn(in, f)
	}
	r.readOperations(o.need("operations"), f)
	return f
}

// siteFile is a site whose flows are still names of files.
type siteFile struct {
	*Site
	wanted []wantedFlow
}

type wantedFlow struct {
	file string
	line int
	take func(*Flow)
}

func (f *siteFile) want(file string, line int, take func(*Flow)) {
	if file != "" {
		f.wanted = append(f.wanted, wantedFlow{file: file, line: line, take: take})
	}
}

var isoCurrency = regexp.MustCompile(`^[A-Z]{3}$`)

func (r *reader) readFormats(o *object, s *Site) {
	s.formats = placeholder.Formats{Dates: o.text("dates"), Decimal: ".", Location: time.UTC}
	s.group = ","
	times := o.text("times")
	s.datePatterns = r.patterns(o.node.line, s.formats.Dates)
	if times != "" {
		s.timePatterns = r.patterns(o.node.line, times)
		for _, joint := range []string{" ", ", "} {
			if s.formats.Dates != "" {
				s.timePatterns = append(s.timePatterns, r.patterns(o.node.line, s.formats.Dates+joint+times)...)
			}
		}
	}
	if zone := o.text("timezone"); zone != "" {
		location, err := time.LoadLocation(zone)
		if err != nil {
			r.fault(o.node.get("timezone").line, "unknown timezone %q", zone)
		} else {
			s.formats.Location = location
		}
	}
	if n := o.take("numbers"); n != nil {
		numbers := r.object(n, "numbers")
		if mark := numbers.text("decimal"); mark != "" {
			s.formats.Decimal = mark
		}
		if s.formats.Decimal == "," {
			s.group = "."
		}
		if group := numbers.text("group"); group != "" {
			s.group = group
		}
		if s.group == s.formats.Decimal {
			r.fault(n.line, "decimal and group must differ")
		}
		numbers.close()
	}
	s.currency = o.text("currency")
	if s.currency != "" && !isoCurrency.MatchString(s.currency) {
		r.fault(o.node.get("currency").line, "currency must be an ISO 4217 code such as EUR")
	}
}

func (r *reader) patterns(line int, sources ...string) []datepattern.Pattern {
	var list []datepattern.Pattern
	for _, source := range sources {
		if source == "" {
			continue
		}
		p, err := datepattern.Parse(source)
		if err != nil {
			r.fault(line, "%v", err)
			continue
		}
		list = append(list, p)
	}
	return list
}

// Bounds of how long an application may go on with an effect, and how that is
// written: as the JSON Schema has it.
const (
	minSettle = time.Second
	maxSettle = 24 * time.Hour
)

var settleForm = regexp.MustCompile(`^([0-9]{1,4}h)?([0-9]{1,4}m)?([0-9]{1,5}s)?$`)

func (r *reader) readEffects(o *object, s *Site) {
	n := o.take("effects")
	if n == nil {
		return
	}
	effects := r.object(n, "effects")
	defer effects.close()
	text := effects.needText("settle")
	settle, err := time.ParseDuration(text)
	if text != "" && (err != nil || !settleForm.MatchString(text) || settle < minSettle || settle > maxSettle) {
		r.fault(n.line, "settle %q must be a duration from 1s to 24h, such as 5m or 1h30m", text)
	}
	s.Settle = settle
}

func (r *reader) readOverlays(o *object, s *Site) {
	n := o.take("overlays")
	if n == nil {
		return
	}
	if n.kind != isList {
		r.fault(n.line, "overlays must be a list")
		return
	}
	for _, item := range n.items {
		overlay := r.object(item, "an overlay")
		s.overlays = append(s.overlays, r.selectors(overlay.need("selectors")))
		overlay.close()
	}
}

func (r *reader) readSignIn(n *node, f *siteFile) {
	o := r.object(n, "signIn")
	defer o.close()
	in := &signIn{}
	f.signIn = in
	f.want(r.fileName(o.need("flow"), "flow"), n.line, func(flow *Flow) { in.flow = flow })
	in.home = r.template(o.need("home"), "home", placeholder.URL)
	if signedIn := r.optionalCondition(o, "signedIn"); signedIn != nil {
		in.signedIn = *signedIn
	} else {
		o.need("signedIn")
	}
	in.signedOut = r.optionalCondition(o, "signedOut")
	in.rejected = r.optionalCondition(o, "rejected")
	if v := o.take("verify"); v != nil {
		inner := r.object(v, "verify")
		c := inner.condition(siteConditions)
		in.verify = &c
		f.want(r.fileName(inner.need("flow"), "flow"), v.line, func(flow *Flow) { in.verifyFlow = flow })
		inner.close()
	}
	if fields := o.take("remember"); fields != nil {
		in.remember = r.readSessionValues(fields)
	}
}

// readSessionValues reads what a sign-in remembers, as the step that reads it
// at home.
func (r *reader) readSessionValues(fields *node) *Step {
	s := &Step{File: SiteFile, Number: "signIn.remember", Line: fields.line, Type: "remember"}
	outer := r.uses
	r.uses = &s.uses
	defer func() { r.uses = outer }()
	s.action = &remember{reading: reading{fields: r.fieldList(fields)}}
	return s
}

func (r *reader) optionalCondition(o *object, key string) *condition {
	n := o.take(key)
	if n == nil {
		return nil
	}
	inner := r.object(n, key)
	c := inner.condition(siteConditions)
	inner.close()
	return &c
}

func (r *reader) readOperations(n *node, f *siteFile) {
	list := r.object(n, "operations")
	for _, e := range list.node.entries {
		list.read[e.key] = true
		o := r.object(e.value, "operation "+e.key)
		op := &operation{
			name: e.key, line: e.line, public: o.bool("public"),
			ignores: o.texts("ignores"), unsupported: o.texts("unsupported"), sideEffects: o.texts("sideEffects"),
		}
		f.want(r.fileName(o.need("flow"), "flow"), e.line, func(flow *Flow) { op.flow = flow })
		f.want(r.fileName(o.take("reconcile"), "reconcile"), e.line, func(flow *Flow) { op.reconcile = flow })
		f.operations[e.key] = op
		o.close()
	}
}
