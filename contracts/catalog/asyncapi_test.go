package catalog_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	asyncapi "github.com/asyncapi/spec-json-schemas/v6"
	"github.com/oasdiff/yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/contracts/event"
)

func TestCommittedAsyncAPIIsFresh(t *testing.T) {
	t.Parallel()
	want, err := catalog.GenerateAsyncAPI()
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != catalog.AsyncAPI() {
		t.Error("asyncapi.gen.yaml is stale: run go generate ./... in contracts")
	}
}

func asyncTree(t *testing.T) map[string]any {
	t.Helper()
	var tree map[string]any
	if _, err := yaml.Unmarshal([]byte(catalog.AsyncAPI()), &tree, yaml.DecodeOpts{}); err != nil {
		t.Fatal(err)
	}
	return tree
}

// The rules are those that the AsyncAPI initiative itself publishes.
func TestAsyncAPIIsValid(t *testing.T) {
	t.Parallel()
	rules, err := asyncapi.Get("3.0.0")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(rules))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("http://asyncapi.com/definitions/3.0.0/asyncapi.json", tree); err != nil {
		t.Fatal(err)
	}
	official, err := compiler.Compile("http://asyncapi.com/definitions/3.0.0/asyncapi.json")
	if err != nil {
		t.Fatal(err)
	}
	document := asyncTree(t)
	if err := official.Validate(document); err != nil {
		t.Error(err)
	}
	for _, wrong := range []struct {
		at, name string
		value    any
	}{
		{"#", "asyncapi", "2.6.0"},
		{"#/info", "title", nil},
		{"#/servers/nats", "protocol", 4222},
		{"#/channels/agency-account", "address", []any{"evt"}},
		{"#/channels/agency-account", "topic", "evt"},
		{"#/operations/agency-account", "action", "emit"},
		{"#/components/messages/account.linked", "contentType", 7},
		{"#/components/messages/effect.started/correlationId", "location", "ce-command"},
		{"#/components/schemas/Headers", "type", "record"},
	} {
		object := at(document, wrong.at).(map[string]any)
		right, given := object[wrong.name]
		object[wrong.name] = wrong.value
		if err := official.Validate(document); err == nil {
			t.Errorf("the rules accept %s of %s as %v", wrong.name, wrong.at, wrong.value)
		}
		if object[wrong.name] = right; !given {
			delete(object, wrong.name)
		}
	}
}

func TestAsyncAPIReferencesResolveAndNothingIsLeftOver(t *testing.T) {
	t.Parallel()
	tree := asyncTree(t)
	used := map[string]bool{}
	var follow func(node any)
	follow = func(node any) {
		switch node := node.(type) {
		case map[string]any:
			if ref, ok := node["$ref"].(string); ok {
				used[ref] = true
				if len(node) != 1 {
					t.Errorf("beside the reference %s stands more", ref)
				}
				if at(tree, ref) == nil {
					t.Errorf("%s leads nowhere", ref)
				}
			}
			for _, child := range node {
				follow(child)
			}
		case []any:
			for _, child := range node {
				follow(child)
			}
		}
	}
	follow(tree)
	for _, part := range []string{"#/components/schemas", "#/components/messages", "#/channels"} {
		for name := range at(tree, part).(map[string]any) {
			if !used[part+"/"+name] {
				t.Errorf("nothing refers to %s/%s", part, name)
			}
		}
	}
}

// at follows a reference within the document.
func at(tree map[string]any, ref string) any {
	var node any = tree
	if ref == "#" {
		return node
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, ok := node.(map[string]any)
		if !ok {
			return nil
		}
		node = object[name]
	}
	return node
}

func TestEveryOperationAndIntegrationHasItsChannels(t *testing.T) {
	t.Parallel()
	channels := asyncTree(t)["channels"].(map[string]any)
	want := map[string]string{}
	for _, entry := range catalog.All() {
		info := entry.Info()
		want[info.ID()] = "evt." + info.Integration + "." + info.Name + ".{event}"
		for _, noun := range []string{"account", "site"} {
			want[info.Integration+"-"+noun] = "evt." + info.Integration + "." + noun + ".{event}"
		}
	}
	got := map[string]string{}
	for id, channel := range channels {
		channel := channel.(map[string]any)
		got[id] = channel["address"].(string)
		var verbs []string
		for _, verb := range at(channel, "parameters/event/enum").([]any) {
			verbs = append(verbs, verb.(string))
		}
		if messages := slices.Sorted(maps.Keys(channel["messages"].(map[string]any))); !slices.Equal(messages, verbs) {
			t.Errorf("%s has the messages %v and the verbs %v", id, messages, verbs)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("channels are %v, want %v", got, want)
	}
	if len(got) != 57+2*11 {
		t.Errorf("%d channels", len(got))
	}
	for _, tt := range []struct {
		id   string
		verb string
		want bool
	}{
		{"marketplace-search", "confirmed", false},
		{"marketplace-buy-now", "confirmed", true},
		{"marketplace-buy-now", "opened", false},
		{"marketplace-create-session", "opened", true},
		{"marketplace-account", "erased", true},
	} {
		_, got := at(channels, tt.id+"/messages").(map[string]any)[tt.verb]
		if got != tt.want {
			t.Errorf("%s %s: %v", tt.id, tt.verb, got)
		}
	}
}

func TestFieldsOfEventsAreDocumented(t *testing.T) {
	t.Parallel()
	constants := enumConstants(t)
	enums := map[reflect.Type]string{
		reflect.TypeFor[contracts.Kind]():   strings.Join(constants[".Kind"], ","),
		reflect.TypeFor[contracts.Effect](): strings.Join(constants[".Effect"][1:], ","), // without that of a read
		reflect.TypeFor[event.Outcome]():    strings.Join(constants["event.Outcome"], ","),
		reflect.TypeFor[event.Purpose]():    strings.Join(constants["event.Purpose"], ","),
	}
	texts := map[string]string{ // with an enumeration of their own
		event.TypeEffectReconciled + " By": strings.Join([]string{event.ByFlow, event.ByOperator, event.ByCommand}, ","),
		event.TypeEffectFoundLate + " By":  strings.Join([]string{event.ByFlow, event.ByOperator, event.ByCommand}, ","),
		event.TypeSiteDrifted + " What":    strings.Join([]string{event.DriftOfFirstChoice, event.DriftOfRequiredField}, ","),
		event.TypeSessionClosed + " Reason": strings.Join([]string{
			event.SessionReleased, event.SessionStopped, event.SessionIdle, event.SessionExpired,
			event.SessionUnlinked, event.SessionRevoked, event.SessionShutdown, event.SessionLost,
		}, ","),
	}
	for _, payload := range event.Payloads() {
		for _, p := range walk(nil, payload.EventType()+" ", reflect.TypeOf(payload), false) {
			if doc := p.field.Tag.Get("doc"); !strings.HasSuffix(doc, ".") {
				t.Errorf("%s: doc %q is not a sentence", p.path, doc)
			}
			want := cmp.Or(texts[p.path], enums[p.kind()])
			if got := p.field.Tag.Get("enum"); got != want {
				t.Errorf("%s: enum %q, want %q", p.path, got, want)
			}
		}
	}
}

// message is a message of the document with its compiled schemas.
type message struct {
	headers, payload *jsonschema.Schema
}

// subscriber reads events with nothing but the document, and takes no header
// and no field that it does not name.
type subscriber struct {
	tree     map[string]any
	compiler *jsonschema.Compiler
}

func newSubscriber(t *testing.T) *subscriber {
	t.Helper()
	tree := asyncTree(t)
	for _, schema := range at(tree, "#/components/schemas").(map[string]any) {
		if schema := schema.(map[string]any); schema["type"] == "object" {
			schema["additionalProperties"] = false
		}
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	compiler.AssertFormat()
	compiler.AssertContent()
	if err := compiler.AddResource("https://gateway.example/asyncapi", tree); err != nil {
		t.Fatal(err)
	}
	return &subscriber{tree, compiler}
}

// messages returns the messages of the channel that a subject belongs to, by
// the last token of their subjects.
func (s *subscriber) messages(subject string) (all map[string]message, last string, err error) {
	cut := strings.LastIndexByte(subject, '.')
	for _, channel := range s.tree["channels"].(map[string]any) {
		if channel.(map[string]any)["address"] != subject[:cut]+".{event}" {
			continue
		}
		all = map[string]message{}
		for verb, ref := range at(channel.(map[string]any), "messages").(map[string]any) {
			place := "https://gateway.example/asyncapi" + ref.(map[string]any)["$ref"].(string)
			all[verb] = message{s.compiler.MustCompile(place + "/headers"), s.compiler.MustCompile(place + "/payload")}
		}
	}
	if _, known := all[subject[cut+1:]]; !known {
		return nil, "", fmt.Errorf("no channel has %s", subject)
	}
	return all, subject[cut+1:], nil
}

// read checks a message against the document.
func (s *subscriber) read(subject string, header map[string][]string, data []byte) error {
	all, verb, err := s.messages(subject)
	if err != nil {
		return err
	}
	headers := map[string]any{}
	for name, values := range header {
		headers[name] = values[0]
	}
	for other, message := range all {
		if err := message.headers.Validate(headers); (err == nil) != (other == verb) {
			return fmt.Errorf("the headers of %s against those of %s: %w", verb, other, err)
		}
	}
	var payload any
	if err := json.Unmarshal(data, &payload); err != nil {
		return err
	}
	return all[verb].payload.Validate(payload)
}
