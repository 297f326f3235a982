package catalog

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"integration.gateway/contracts"
)

// components returns messages and schemas, those only to which something
// refers. It is called once, at the end.
func (s *eventSchemas) components() (asyncComponents, error) {
	used := map[string]*huma.Schema{}
	for _, message := range s.messages {
		s.use(message.Headers, used)
		s.use(message.Payload, used)
	}
	for name, schema := range used {
		if schema == nil {
			return asyncComponents{}, fmt.Errorf("no schema is named %s", name)
		}
		tidy(schema)
	}
	return asyncComponents{Messages: s.messages, Schemas: used}, nil
}

// use collects the schemas to which a schema refers, and those to which these
// refer.
func (s *eventSchemas) use(schema *huma.Schema, used map[string]*huma.Schema) {
	if name, ok := strings.CutPrefix(schema.Ref, schemaPrefix); ok {
		if _, done := used[name]; !done {
			used[name] = s.registry.Map()[name]
			if used[name] != nil {
				s.use(used[name], used)
			}
		}
	}
	for _, part := range parts(schema) {
		s.use(part, used)
	}
}

// parts are the schemas that stand directly in a schema.
func parts(schema *huma.Schema) []*huma.Schema {
	all := append(append([]*huma.Schema{}, schema.AllOf...), schema.AnyOf...)
	for _, property := range schema.Properties {
		all = append(all, property)
	}
	if schema.Items != nil {
		all = append(all, schema.Items)
	}
	if values, ok := schema.AdditionalProperties.(*huma.Schema); ok {
		all = append(all, values)
	}
	return all
}

// tidy makes huma's schema, which is of OpenAPI, one of AsyncAPI: a reference
// has nothing beside it, there are no keywords of huma's own, and an object may
// have members that are not known yet.
func tidy(schema *huma.Schema) {
	schema.PatternDescription = ""
	if schema.AdditionalProperties == false {
		schema.AdditionalProperties = nil
	}
	if schema.Ref != "" && schema.Description != "" {
		schema.AllOf, schema.Ref = []*huma.Schema{{Ref: schema.Ref}}, ""
	}
	for _, part := range parts(schema) {
		tidy(part)
	}
}

// example fills the request or result that v points to from its examples, and
// returns its JSON as an event holds it: sealed where its schema says so.
func (s *eventSchemas) example(v any) (json.RawMessage, error) {
	contracts.FillExample(v)
	filled, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("example of %T: %w", v, err)
	}
	var tree any
	if err := json.Unmarshal(filled, &tree); err != nil {
		return nil, fmt.Errorf("example of %T: %w", v, err)
	}
	return json.Marshal(s.seal(s.schema(v), tree))
}

// seal replaces the values in tree whose schema is that of a sealed value.
func (s *eventSchemas) seal(schema *huma.Schema, tree any) any {
	for schema.Ref != "" && schema.Ref != s.sealed.Ref {
		schema = s.registry.SchemaFromRef(schema.Ref)
	}
	switch tree := tree.(type) {
	case nil:
		return nil
	case map[string]any:
		for name, property := range schema.Properties {
			if value, ok := tree[name]; ok {
				tree[name] = s.seal(property, value)
			}
		}
	case []any:
		for i := range tree {
			if schema.Items != nil {
				tree[i] = s.seal(schema.Items, tree[i])
			}
		}
	}
	if schema.Ref == s.sealed.Ref || len(schema.AnyOf) > 0 {
		var example sealed
		contracts.FillExample(&example)
		return example
	}
	return tree
}
