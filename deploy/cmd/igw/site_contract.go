package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"integration.gateway/contracts"
)

type siteContract struct {
	Integration string `arg:"" help:"Integration, such as marketplace."`
	Operation   string `arg:"" optional:"" help:"Only this operation."`
}

func (c *siteContract) Run(p *printer) error {
	entries, err := operationsOf(c.Integration)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(entries))
	if c.Operation != "" {
		if entries[c.Operation] == nil {
			return fmt.Errorf("%s has no operation %q; there are %s", c.Integration, c.Operation, strings.Join(names, ", "))
		}
		names = []string{c.Operation}
	}
	list := make([]operationContract, len(names))
	for i, name := range names {
		list[i] = contractOf(entries[name])
	}
	if p.json {
		return p.encode(list)
	}
	for i, o := range list {
		if i > 0 {
			fmt.Fprintln(p.w)
		}
		if err := o.print(p); err != nil {
			return err
		}
	}
	return nil
}

// operationContract is what a flow of an operation is given and must give.
type operationContract struct {
	Integration string           `json:"integration"`
	Operation   string           `json:"operation"`
	Summary     string           `json:"summary"`
	Effect      contracts.Effect `json:"effect,omitempty"`
	Account     string           `json:"account"`
	Request     []contractField  `json:"request"`
	Result      []contractField  `json:"result"`
}

// contractField is one field; what stands in an object or in the rows of a list
// has the names of both.
type contractField struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Required bool     `json:"required"`
	Values   []string `json:"values,omitempty"` // of an enumeration
	Meaning  string   `json:"meaning,omitempty"`
}

func contractOf(e contracts.Entry) operationContract {
	info := e.Info()
	o := operationContract{
		Integration: info.Integration, Operation: info.Name, Summary: info.Summary, Effect: info.Effect,
		Account: "needed", Request: []contractField{}, Result: []contractField{},
	}
	if info.Access == contracts.SoleAccount {
		o.Account = "needed; the caller's only one where the caller names none"
	}
	req, res := e.New()
	addFields(&o.Request, reflect.TypeOf(req).Elem(), "")
	addFields(&o.Result, reflect.TypeOf(res).Elem(), "")
	return o
}

// addFields adds the fields of a struct. Those of a request's body stand
// beside the parameters, as placeholders name them.
func addFields(list *[]contractField, t reflect.Type, prefix string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "", name == "body" && prefix == "":
			addFields(list, f.Type, prefix)
		case name != "" && name != "-" && f.IsExported():
			addField(list, f, prefix+name, !strings.Contains(options, "omit"))
		}
	}
}

func addField(list *[]contractField, f reflect.StructField, name string, required bool) {
	field := contractField{Name: name, Required: required || f.Tag.Get("required") == "true", Meaning: f.Tag.Get("doc")}
	if enum := f.Tag.Get("enum"); enum != "" {
		field.Values = strings.Split(enum, ",")
	}
	t := f.Type
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	row := t
	if t.Kind() == reflect.Slice {
		for row = t.Elem(); row.Kind() == reflect.Pointer; {
			row = row.Elem()
		}
		field.Kind = "list of " + plural(2, kindOf(row, f.Tag))
	} else {
		field.Kind = kindOf(t, f.Tag)
	}
	*list = append(*list, field)
	if kindOf(row, f.Tag) != "object" || row.Kind() != reflect.Struct {
		return
	}
	if row != t {
		name += "[]"
	}
	addFields(list, row, name+".")
}

// kindOf is what a person calls a kind of value.
func kindOf(t reflect.Type, tag reflect.StructTag) string {
	switch {
	case t == reflect.TypeFor[contracts.Money]():
		return "money"
	case t == reflect.TypeFor[time.Time]():
		return "date-time"
	case t.Kind() == reflect.String:
		switch format := tag.Get("format"); format {
		case "date", "date-time", "email":
			return format
		case "uri":
			return "URL"
		}
		return "text"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.Float32, t.Kind() == reflect.Float64:
		return "number"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return "integer"
	}
	return "object"
}

func (o operationContract) print(p *printer) error {
	effect := "none, it only reads"
	if o.Effect != contracts.NoEffect {
		effect = string(o.Effect)
	}
	fmt.Fprintf(p.w, "%s %s: %s\neffect: %s\naccount: %s\n", o.Integration, o.Operation, o.Summary, effect, o.Account)
	for _, part := range []struct {
		title  string
		fields []contractField
	}{{"REQUEST", o.Request}, {"RESULT", o.Result}} {
		rows := [][]string{{"  " + part.title, "KIND", "REQUIRED", "MEANING"}}
		if len(part.fields) == 0 {
			rows[0] = []string{"  " + part.title, "no fields"}
		}
		for _, f := range part.fields {
			rows = append(rows, []string{"  " + f.Name, f.Kind, map[bool]string{true: "yes"}[f.Required], f.meaning()})
		}
		fmt.Fprintln(p.w)
		if err := columns(p.w, rows); err != nil {
			return err
		}
	}
	return nil
}

func (f contractField) meaning() string {
	if len(f.Values) == 0 {
		return f.Meaning
	}
	return fmt.Sprintf("%s One of: %s.", f.Meaning, strings.Join(f.Values, ", "))
}
