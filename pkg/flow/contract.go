package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"integration.gateway/contracts"
)

// Contract is what an operation takes and gives, as far as its flow must obey.
type Contract struct {
	Effect   string       // kind of the effect; empty for a read
	Fields   []string     // of the request: parameters and the body's fields
	Result   *huma.Schema // of the result
	Registry huma.Registry

	request []requestField
}

// Contracts finds the contract of an operation by its name; ok is false for an
// operation that the integration does not have.
type Contracts func(operation string) (c *Contract, ok bool)

// ContractsOf makes a lookup of an integration's operations.
func ContractsOf(entries ...contracts.Entry) Contracts {
	byName := map[string]*Contract{}
	for _, e := range entries {
		byName[e.Info().Name] = ContractOf(e)
	}
	return func(operation string) (*Contract, bool) {
		c, ok := byName[operation]
		return c, ok
	}
}

// ContractOf derives an operation's contract from its types.
func ContractOf(e contracts.Entry) *Contract {
	req, res := e.New()
	c := &Contract{
		Effect:   string(e.Info().Effect),
		Registry: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
	}
	c.addFields(reflect.TypeOf(req).Elem())
	c.request = requestFields(reflect.TypeOf(req).Elem(), "")
	c.Result = c.Registry.Schema(reflect.TypeOf(res).Elem(), true, "Result")
	return c
}

// addFields gathers a request type's fields; the body's stand beside the
// parameters, as placeholders name them.
func (c *Contract) addFields(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" || name == "body":
			c.addFields(f.Type)
		case name != "" && name != "-" && f.IsExported():
			c.Fields = append(c.Fields, name)
		}
	}
}

// Flat makes a job's request of a request value: its JSON with the body's
// fields beside the parameters. Numbers stay exact.
func Flat(req any) (map[string]any, error) {
	raw, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("flattening a request: %w", err)
	}
	var fields map[string]any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return nil, fmt.Errorf("flattening a request: %w", err)
	}
	body, _ := fields["body"].(map[string]any)
	delete(fields, "body")
	for name, v := range body {
		fields[name] = v
	}
	return fields, nil
}

// shape is a part of the result's schema; the zero value wants nothing.
type shape struct {
	schema   *huma.Schema
	registry huma.Registry
}

func (c *Contract) shape(into string, each bool) shape {
	if c == nil || c.Result == nil {
		return shape{}
	}
	s := shape{c.Result, c.Registry}.resolved()
	if into != "" {
		s = s.property(into)
	}
	if each {
		s = s.items()
	}
	return s
}

func (s shape) resolved() shape {
	for s.schema != nil && s.schema.Ref != "" {
		s.schema = s.registry.SchemaFromRef(s.schema.Ref)
	}
	return s
}

func (s shape) property(name string) shape {
	if s.schema == nil {
		return s
	}
	return shape{s.schema.Properties[name], s.registry}.resolved()
}

func (s shape) items() shape {
	if s.schema == nil {
		return s
	}
	return shape{s.schema.Items, s.registry}.resolved()
}

func (s shape) requires(name string) bool {
	return s.schema != nil && slices.Contains(s.schema.Required, name)
}

// coerce writes numbers as text where the contract wants text.
func (s shape) coerce(v any) any {
	if s.schema == nil {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = s.property(name).coerce(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = s.items().coerce(inner)
		}
	case json.Number:
		if s.schema.Type == huma.TypeString {
			return v.String()
		}
	case float64:
		if s.schema.Type == huma.TypeString {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return v
}

// lacks finds the first required field that a value does not have; empty when
// it has all.
func (s shape) lacks(v any) string {
	switch v := v.(type) {
	case map[string]any:
		if s.schema == nil {
			return ""
		}
		for _, name := range s.schema.Required {
			if _, there := v[name]; !there {
				return name
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if inner := s.property(name).lacks(v[name]); inner != "" {
				return name + "." + inner
			}
		}
	case []any:
		for _, item := range v {
			if inner := s.items().lacks(item); inner != "" {
				return inner
			}
		}
	}
	return ""
}

// origin is where a part of the result comes from.
type origin struct {
	step  *Step
	field *field
}

func fieldPath(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ".")
}

var indexes = regexp.MustCompile(`\[[0-9]+\]`)

// check holds the result against the contract. The failure names the field,
// its selector and the step that read it.
func (p *player) check() (json.RawMessage, error) {
	whole := p.contract.shape("", false)
	var result any = p.result
	if rows, ok := p.result[""]; ok { // an extract of rows without into
		result = rows
	}
	result = whole.coerce(result)
	raw, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("writing the result: %w", err)
	}
	if whole.schema == nil {
		return raw, nil
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return nil, fmt.Errorf("reading the result: %w", err)
	}
	var found huma.ValidateResult
	huma.Validate(p.contract.Registry, whole.schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, plain, &found)
	if len(found.Errors) == 0 {
		return raw, nil
	}
	return raw, p.unfit(found.Errors, whole.lacks(plain))
}

// maxComplaints bounds how many of the contract's complaints a failure tells:
// what is wrong with one row is wrong with all of them as a rule.
const maxComplaints = 5

// unfit makes a failure of the contract's complaints, without their values.
func (p *player) unfit(errs []error, missing string) error {
	var texts []string
	var at *Step
	for _, err := range errs {
		var detail *huma.ErrorDetail
		if !errors.As(err, &detail) {
			continue
		}
		text := strings.TrimPrefix(detail.Location+": ", ": ") + detail.Message
		name := indexes.ReplaceAllString(detail.Location, "")
		for name != "" {
			if o, ok := p.origins[name]; ok {
				text, at = fmt.Sprintf("%s (%s)", text, o.field.origin()), o.step
				break
			}
			name = name[:max(0, strings.LastIndex(name, "."))]
		}
		texts = append(texts, text)
	}
	if at == nil {
		at = p.last
	}
	if more := len(texts) - maxComplaints; more > 0 {
		texts = append(texts[:maxComplaints], fmt.Sprintf("and %d more", more))
	}
	f := p.failure(at, Plain, "the result does not fit the contract: %s", strings.Join(texts, "; "))
	f.Missing = missing
	return f
}
