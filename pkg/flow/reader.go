package flow

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"integration.gateway/pkg/flow/placeholder"
)

// reader reads the values of one file and gathers every fault it meets. It
// knows in which step it is, so that each fault names it.
type reader struct {
	file   string
	step   string
	faults *Faults
	uses   *[]use // where the templates of the step being read are gathered
	json   bool   // selectors are JSONPath
	asking bool   // a request is being read: {{ localStorage.x }} is at hand
}

// fault notes what is wrong on a line and goes on.
func (r *reader) fault(line int, format string, args ...any) {
	*r.faults = append(*r.faults, Fault{File: r.file, Line: line, Step: r.step, Text: fmt.Sprintf(format, args...)})
}

// object is a mapping that is being read: what nobody asks for is unknown.
type object struct {
	*reader
	node *node
	read map[string]bool
	what string
}

// object starts to read n as a mapping; what names it in faults. A node of
// another kind is a fault, and reads as an empty mapping.
func (r *reader) object(n *node, what string) *object {
	o := &object{reader: r, node: n, read: map[string]bool{}, what: what}
	if n == nil {
		o.node = &node{kind: isMap}
	} else if n.kind != isMap {
		r.fault(n.line, "%s must be an object, not %s", what, n.kind)
		o.node = &node{kind: isMap, line: n.line}
	}
	for i, e := range o.node.entries {
		if slices.ContainsFunc(o.node.entries[:i], func(before entry) bool { return before.key == e.key }) {
			r.fault(e.line, "%s is given twice", e.key)
		}
	}
	return o
}

// close faults every key that was not asked for.
func (o *object) close() {
	for _, e := range o.node.entries {
		if !o.read[e.key] {
			o.fault(e.line, "unknown key %q in %s", e.key, o.what)
			o.read[e.key] = true
		}
	}
}

func (o *object) has(key string) bool { return o.node.get(key) != nil }

// take returns the value under key, or nil.
func (o *object) take(key string) *node {
	o.read[key] = true
	return o.node.get(key)
}

// need returns the value under key; that there is none is a fault.
func (o *object) need(key string) *node {
	n := o.take(key)
	if n == nil {
		o.fault(o.node.line, "%s needs %q", o.what, key)
	}
	return n
}

// scalar returns the text of a text, number or boolean.
func (r *reader) scalar(n *node, what string) string {
	if n == nil {
		return ""
	}
	switch n.kind {
	case isText, isNumber, isBool:
		return n.text
	}
	r.fault(n.line, "%s must be a text, not %s", what, n.kind)
	return ""
}

func (o *object) text(key string) string { return o.scalar(o.take(key), key) }

func (o *object) needText(key string) string {
	n := o.need(key)
	s := o.scalar(n, key)
	if n != nil && s == "" {
		o.fault(n.line, "%s is empty", key)
	}
	return s
}

func (o *object) bool(key string) bool {
	n := o.take(key)
	if n != nil && n.kind != isBool {
		o.fault(n.line, "%s must be true or false", key)
	}
	return n != nil && n.text == "true"
}

func (o *object) number(key string, fallback float64) float64 {
	n := o.take(key)
	if n == nil {
		return fallback
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if n.kind != isNumber || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		o.fault(n.line, "%s must be a number", key)
		return fallback
	}
	return f
}

// count reads a whole number from min to max.
func (o *object) count(key string, fallback, minimum, maximum int) int {
	n := o.node.get(key)
	f := o.number(key, float64(fallback))
	if n != nil && (f != math.Trunc(f) || f < float64(minimum) || f > float64(maximum)) {
		o.fault(n.line, "%s must be a whole number from %d to %d", key, minimum, maximum)
		return fallback
	}
	return int(f)
}

// maxTimeout bounds the time limit of a step.
const maxTimeout = 10 * time.Minute

// millis reads a time limit in milliseconds.
func (o *object) millis(key string, fallback time.Duration) time.Duration {
	ms := o.count(key, int(fallback.Milliseconds()), 0, int(maxTimeout.Milliseconds()))
	return time.Duration(ms) * time.Millisecond
}

// oneOf reads a text that must be one of a few; empty when it is not there.
func (o *object) oneOf(key string, allowed ...string) string {
	n := o.take(key)
	s := o.scalar(n, key)
	if n != nil && !slices.Contains(allowed, s) {
		o.fault(n.line, "%s must be one of %s, not %q", key, strings.Join(allowed, ", "), s)
		return ""
	}
	return s
}

// texts reads a list of texts.
func (o *object) texts(key string) []string {
	n := o.take(key)
	if n == nil {
		return nil
	}
	if n.kind != isList {
		o.fault(n.line, "%s must be a list", key)
		return nil
	}
	var list []string
	for _, item := range n.items {
		list = append(list, o.scalar(item, key))
	}
	return list
}

// template reads a text with placeholders.
func (r *reader) template(n *node, what string, place placeholder.Place) placeholder.Template {
	if n == nil {
		return placeholder.Template{}
	}
	return r.templateText(r.scalar(n, what), n.line, place)
}

func (r *reader) templateText(text string, line int, place placeholder.Place) placeholder.Template {
	t, err := placeholder.Parse(text, place)
	if err != nil {
		r.fault(line, "%v", err)
	}
	r.used(t, line)
	return t
}

// used notes that the step takes values for a template.
func (r *reader) used(t placeholder.Template, line int) {
	if !r.asking && slices.ContainsFunc(t.Names(), isStored) {
		r.fault(line, "%s: {{ localStorage.x }} is at hand in the url, headers, body and form of a fetch only", t)
	}
	if r.uses != nil && len(t.Names()) > 0 {
		*r.uses = append(*r.uses, use{template: t, line: line})
	}
}

// fileName reads the name of another file of the folder.
func (r *reader) fileName(n *node, what string) string {
	if n == nil {
		return ""
	}
	name := n.text // none of a list or an object
	ext := path.Ext(name)
	if path.Base(name) != name || ext != ".json" && ext != ".yaml" && ext != ".yml" {
		r.fault(n.line, "%s must name a .json or .yaml file of the site's folder", what)
		return ""
	}
	return name
}
