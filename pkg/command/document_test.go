package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
)

// document is the one for subscribers, as they have it.
type document struct {
	tree     map[string]any
	compiler *jsonschema.Compiler
}

func readDocument(t *testing.T) *document {
	t.Helper()
	text, err := yaml.YAMLToJSON([]byte(catalog.AsyncAPI()))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	d := &document{tree.(map[string]any), jsonschema.NewCompiler()}
	// A subscriber takes fields that it does not know; what the log holds must all be in the document.
	for _, schema := range d.at("components", "schemas") {
		if schema := schema.(map[string]any); schema["type"] == "object" {
			schema["additionalProperties"] = false
		}
	}
	d.compiler.DefaultDraft(jsonschema.Draft7)
	d.compiler.AssertFormat()
	d.compiler.AssertContent()
	if err := d.compiler.AddResource("https://gateway.example/asyncapi", d.tree); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *document) at(path ...string) map[string]any {
	node := d.tree
	for _, name := range path {
		node, _ = node[name].(map[string]any)
	}
	return node
}

// check validates an event of the log as its message.
func (d *document) check(e event.Event, channel string) error {
	e.Seq = 1
	subject, header, data, err := event.Encode(e)
	if err != nil {
		return err
	}
	last := subject[strings.LastIndexByte(subject, '.')+1:]
	if d.at("channels", channel)["address"] != strings.TrimSuffix(subject, last)+"{event}" {
		return errors.New("it comes on another channel")
	}
	ref, _ := d.at("channels", channel, "messages", last)["$ref"].(string)
	headers := map[string]any{}
	for name, values := range header {
		headers[name] = values[0]
	}
	payload, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		return err
	}
	for part, value := range map[string]any{"headers": headers, "payload": payload} {
		schema, err := d.compiler.Compile("https://gateway.example/asyncapi" + ref + "/" + part)
		if err != nil {
			return err
		}
		if err := schema.Validate(value); err != nil {
			return err
		}
	}
	return nil
}

// What a subscriber is promised is what the recorder and the vault write, for
// every operation and every end of a command.
func TestEventsOfEveryOperationAreWhatSubscribersArePromised(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	recorder, log := p.recorder(t), p.log
	recorder.User = func(ctx context.Context) (string, error) { return bus.IdentityFrom(ctx).CommandID, nil } // the examples have one order among them
	promised := readDocument(t)
	seen := map[string]bool{}
	record := func(entry contracts.Entry, act func(ctx context.Context) error) {
		info := entry.Info()
		req, res := entry.New()
		contracts.FillExample(req)
		contracts.FillExample(res)
		id := uuid.NewString()
		ctx := bus.WithIdentity(t.Context(), bus.Identity{CommandID: id, CallerID: "caller-1", AccountID: "account-1"})
		_, _ = recorder.Middleware(info)(func(ctx context.Context, _ any) (any, error) { return res, act(ctx) })(ctx, req)
		events, err := log.Stream(t.Context(), event.CommandStream(id))
		if err != nil || len(events) < 2 {
			t.Fatalf("%s: %d events, %v", info.ID(), len(events), err)
		}
		for _, e := range events {
			seen[e.Type] = true
			if err := promised.check(e, info.ID()); err != nil {
				t.Errorf("%s %s does not fit the document: %v", e.Subject(), e.Data, err)
			}
		}
	}
	for _, entry := range catalog.All() {
		record(entry, func(ctx context.Context) error { return begin(ctx, entry.Info()) })
	}
	refused := &contracts.Error{Kind: contracts.Rejected, Message: "Jane Roe is blocked", Quotes: true}
	order := marketplace.BuyNow
	record(order, func(context.Context) error { return refused })
	record(order, func(ctx context.Context) error {
		err := begin(ctx, order.Info())
		command.From(ctx).Refuse()
		return errors.Join(err, refused)
	})
	record(order, func(ctx context.Context) error {
		return errors.Join(begin(ctx, order.Info()), errors.New("browser died"))
	})
	if len(seen) != 7 { // all of commands and effects but effect.reconciled
		t.Errorf("only these types were recorded: %v", seen)
	}
}

// begin starts the operation's effect, if it has one.
func begin(ctx context.Context, info contracts.Info) error {
	if info.Effect == contracts.NoEffect {
		return nil
	}
	return command.From(ctx).Start(ctx, info.Effect, json.RawMessage(`{"sealed":"c2VhbGVk"}`))
}
