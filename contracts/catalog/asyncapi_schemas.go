package catalog

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

const (
	schemaPrefix  = "#/components/schemas/"
	headersSchema = "Headers"
	jsonMediaType = "application/json"
)

// sealed is what an event holds where the value of a sensitive field was.
type sealed struct {
	Sealed string `json:"sealed" encoding:"base64" doc:"The value's JSON, encrypted with the account's own key." example:"AZRk0bHkY2xvc2VkIGluIGEgc2VhbGVkIGVudmVsb3Bl"`
}

// eventSchemas makes the messages and schemas of all events out of the Go
// types of their payloads and of the operations' requests and results.
type eventSchemas struct {
	registry huma.Registry
	entries  []contracts.Entry
	sealed   *huma.Schema // reference to the schema of a sealed value
	messages map[string]*asyncMessage
}

func newEventSchemas(entries []contracts.Entry) (*eventSchemas, error) {
	s := &eventSchemas{
		registry: huma.NewMapRegistry(schemaPrefix, schemaNamer()),
		entries:  entries,
		messages: map[string]*asyncMessage{},
	}
	s.sealed = s.schema(sealed{})
	s.registry.Map()[headersSchema] = headersOf(attributes)
	s.sealSensitive()
	for _, payload := range event.Payloads() {
		if !ofOperation(payload.EventType()) {
			s.addShared(payload)
		}
	}
	for _, entry := range entries {
		if err := s.addOwn(entry); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// schema returns a reference to the schema of v's type.
func (s *eventSchemas) schema(v any) *huma.Schema {
	return s.registry.Schema(reflect.TypeOf(v), true, "")
}

// sealSensitive replaces the schemas of sensitive fields, in everything that
// an event holds.
func (s *eventSchemas) sealSensitive() {
	seal := func(in reflect.Type, f reflect.StructField, _ string) {
		properties := s.registry.SchemaFromRef(s.registry.Schema(in, true, "").Ref).Properties
		old := properties[jsonName(f)]
		switch replaced := (&huma.Schema{Description: old.Description}); {
		case old.Ref == s.sealed.Ref || len(old.AnyOf) > 0: // done: operations share types
		case old.Nullable: // null is not sealed
			replaced.AnyOf = []*huma.Schema{s.sealed, {Type: "null"}}
			properties[jsonName(f)] = replaced
		default:
			replaced.Ref = s.sealed.Ref
			properties[jsonName(f)] = replaced
		}
	}
	for _, payload := range event.Payloads() {
		walkSensitive(reflect.TypeOf(payload), "", seal)
	}
	for _, entry := range s.entries {
		req, res := entry.New()
		s.schema(req)
		s.schema(res)
		walkSensitive(reflect.TypeOf(req), "", seal)
		walkSensitive(reflect.TypeOf(res), "", seal)
	}
}

// addShared adds the message of a type of event that is the same for all
// operations.
func (s *eventSchemas) addShared(payload event.Payload) {
	typ := payload.EventType()
	example := reflect.New(reflect.TypeOf(payload)).Interface()
	contracts.FillExample(example)
	s.messages[typ] = newMessage(typ, typ, s.schema(payload), example)
}

// addOwn adds the messages that carry an operation's request and result.
func (s *eventSchemas) addOwn(entry contracts.Entry) error {
	req, res := entry.New()
	request, err := s.example(req)
	if err != nil {
		return err
	}
	result, err := s.example(res)
	if err != nil {
		return err
	}
	accepted, completed, late := event.CommandAccepted{}, event.CommandCompleted{}, event.EffectFoundLate{}
	contracts.FillExample(&accepted)
	contracts.FillExample(&completed)
	contracts.FillExample(&late)
	accepted.Request, completed.Result, late.Result = request, result, result
	if err := s.addCarrier(entry.Info(), accepted, "request", s.schema(req)); err != nil {
		return err
	}
	if entry.Info().Effect != contracts.NoEffect {
		if err := s.addCarrier(entry.Info(), late, "result", s.schema(res)); err != nil {
			return err
		}
	}
	return s.addCarrier(entry.Info(), completed, "result", s.schema(res))
}

// addCarrier adds a message whose payload has a field of the operation's own
// type.
func (s *eventSchemas) addCarrier(info contracts.Info, payload event.Payload, field string, own *huma.Schema) error {
	base := s.registry.SchemaFromRef(s.schema(payload).Ref)
	schema := *base
	schema.Properties = maps.Clone(base.Properties)
	schema.Properties[field] = &huma.Schema{Ref: own.Ref, Description: base.Properties[field].Description}
	typ := payload.EventType()
	name := camelCase(info.ID()) + camelCase(verb(typ))
	if s.registry.Map()[name] != nil {
		return fmt.Errorf("two schemas are named %s", name)
	}
	s.registry.Map()[name] = &schema
	message := newMessage(typ, typ+" of "+info.Integration+" "+info.Name, &huma.Schema{Ref: schemaPrefix + name}, payload)
	message.Headers.Properties["ce-integration"] = onlyValue(info.Integration)
	message.Headers.Properties["ce-operation"] = onlyValue(info.Name)
	s.messages[messageName(info, typ)] = message
	return nil
}

func newMessage(typ, title string, payload *huma.Schema, example any) *asyncMessage {
	return &asyncMessage{
		Name:          typ,
		Title:         title,
		Summary:       eventSummaries[typ],
		ContentType:   jsonMediaType,
		CorrelationID: correlation(typ),
		Headers:       headersFor(typ),
		Payload:       payload,
		Examples:      []asyncExample{{Payload: example}},
	}
}
