package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"integration.gateway/contracts"
	"integration.gateway/pkg/flow"
)

// requestOf makes a job's request of an operator's input: the fields of the
// request side by side, as placeholders name them. It is held against the
// contract as that of a caller is.
func requestOf(e contracts.Entry, input string) (map[string]any, error) {
	fields := map[string]any{}
	if input != "" {
		if err := decodeObject(input, &fields); err != nil {
			return nil, fmt.Errorf("the input of %s is not a JSON object such as %s: %w", e.Info().Name, exampleInput(e), err)
		}
	}
	req, _ := e.New()
	nested, known := map[string]any{}, contractOf(e)
	body := bodyOf(req)
	for name, value := range fields {
		if !slices.ContainsFunc(known.Request, func(f contractField) bool { return f.Name == name }) {
			return nil, fmt.Errorf("%s has no field %q; %s", e.Info().Name, name, known.fieldNames())
		}
		if inBody(body, name) {
			part, _ := nested["body"].(map[string]any)
			if part == nil {
				part = map[string]any{}
			}
			part[name], nested["body"] = value, part
		} else {
			nested[name] = value
		}
	}
	if body != nil && nested["body"] == nil {
		nested["body"] = map[string]any{}
	}
	if err := hold(req, nested); err != nil {
		return nil, fmt.Errorf("%s: %w", e.Info().Name, err)
	}
	return flow.Flat(req)
}

func decodeObject(text string, into *map[string]any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if *into == nil {
		return errors.New("it is null")
	}
	if d.More() {
		return errors.New("something follows it")
	}
	return nil
}

// bodyOf returns the type of a request's body, nil if it has none.
func bodyOf(req any) reflect.Type {
	if f, ok := reflect.TypeOf(req).Elem().FieldByName("Body"); ok {
		return f.Type
	}
	return nil
}

func inBody(body reflect.Type, name string) bool {
	if body == nil {
		return false
	}
	var fields []contractField
	addFields(&fields, body, "")
	return slices.ContainsFunc(fields, func(f contractField) bool { return f.Name == name })
}

// hold fills req from its JSON as the gateway does: with defaults, and checked
// against all rules of its fields.
func hold(req any, nested map[string]any) error {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := registry.Schema(reflect.TypeOf(req).Elem(), false, "Request")
	addDefaults(registry, schema, nested)
	raw, err := json.Marshal(nested)
	if err != nil {
		return err
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return err
	}
	var found huma.ValidateResult
	huma.Validate(registry, schema, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, plain, &found)
	var texts []string
	for _, err := range found.Errors {
		var detail *huma.ErrorDetail
		if errors.As(err, &detail) {
			place := strings.TrimPrefix(strings.TrimPrefix(detail.Location, "body"), ".")
			texts = append(texts, strings.TrimPrefix(place+": "+detail.Message, ": "))
		}
	}
	if len(texts) > 0 {
		return errors.New(strings.Join(texts, "; "))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(req); err != nil {
		return err
	}
	if v, ok := req.(contracts.Validator); ok {
		return v.Validate()
	}
	return nil
}

// addDefaults gives the fields that are left out their defaults.
func addDefaults(registry huma.Registry, schema *huma.Schema, fields map[string]any) {
	for name, property := range schema.Properties {
		if property.Ref != "" {
			property = registry.SchemaFromRef(property.Ref)
		}
		if inner, ok := fields[name].(map[string]any); ok {
			addDefaults(registry, property, inner)
		} else if _, given := fields[name]; !given && property.Default != nil {
			fields[name] = property.Default
		}
	}
}

// exampleInput is an operation's input as its contract has it for an example.
func exampleInput(e contracts.Entry) string {
	req, _ := e.New()
	contracts.FillExample(req)
	fields, err := flow.Flat(req)
	if err != nil {
		return "{}"
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return "{}"
	}
	return string(text)
}

// fieldNames tells in messages which fields an operation's request has.
func (o operationContract) fieldNames() string {
	var names []string
	for _, f := range o.Request {
		if !strings.Contains(f.Name, ".") {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return "it has none"
	}
	return "there are " + strings.Join(names, ", ")
}

// inputs are what --input says for each operation.
type inputs map[string]string

// inputsOf reads texts such as search={"query":"coffee"}.
func inputsOf(texts []string) (inputs, error) {
	found := inputs{}
	for _, text := range texts {
		operation, input, ok := strings.Cut(text, "=")
		if !ok || operation == "" || strings.ContainsAny(operation, "{\"") {
			return nil, fmt.Errorf(`--input %s names no operation: write --input 'search={"query":"coffee"}'`, text)
		}
		found[operation] = input
	}
	return found, nil
}
