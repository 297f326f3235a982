package catalog

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"integration.gateway/contracts/event"
)

// attribute is a header that a message may have.
type attribute struct {
	name, text, example string
	pattern, format     string
	optional            bool
}

// Patterns of the attributes' values, as headers hold them: percent-encoded.
const (
	anyText   = `^[!#-~]+$`
	words     = `^[a-z0-9]+(-[a-z0-9]+)*$`
	count     = `^[1-9][0-9]*$`
	hexSHA256 = `^[0-9a-f]{64}$`
)

// attributes are all headers that event.Encode writes.
var attributes = []attribute{
	{name: "ce-specversion", text: "Version of CloudEvents.", pattern: `^1\.0$`, example: "1.0"},
	{name: "ce-id", text: "Id of the event, unique for ever, the same in every delivery and replay.", pattern: anyText, example: "019a8f51-0c1e-7a44-8d11-5c1f0e9b7a20"},
	{name: "ce-source", text: "The integration, as a path.", pattern: `^/integrations/[a-z0-9]+(-[a-z0-9]+)*$`, example: "/integrations/marketplace"},
	{name: "ce-type", text: "Type of the event.", pattern: `^[a-z]+\.[a-z-]+$`, example: event.TypeEffectConfirmed},
	{name: "ce-time", text: "When the log recorded it, in UTC.", format: "date-time", example: "2026-11-21T09:30:00.123456Z"},
	{name: "ce-datacontenttype", text: "Media type of the payload.", pattern: "^application/json$", example: "application/json"},
	{name: "ce-integration", text: "The integration.", pattern: words, example: "marketplace"},
	{name: "ce-operation", text: "The operation; absent from an event that belongs to none.", pattern: words, example: "buy-now", optional: true},
	{name: "ce-command", text: "Id of the command that caused the event: the Command-Id of its HTTP answer.", pattern: anyText, example: "019a8f50-f7f3-7c3e-a3b0-2f1d5b6c9e01", optional: true},
	{name: "ce-caller", text: "Id of the caller on whose behalf it happened.", pattern: anyText, example: "019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11", optional: true},
	{name: "ce-account", text: "Id of the linked account that it concerns.", pattern: anyText, example: "019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6", optional: true},
	{name: "ce-stream", text: "The command, session or account whose story the event is part of.", pattern: `^[a-z]+/[!#-~]+$`, example: "command/019a8f50-f7f3-7c3e-a3b0-2f1d5b6c9e01"},
	{name: "ce-version", text: "Its place in that stream, from 1.", pattern: count, example: "3"},
	{name: "ce-seq", text: "Its place among all events, from 1, without gaps: the sequence of its message in JetStream.", pattern: count, example: "4711"},
	{name: "ce-prevhash", text: "Hash of the event before it in its ce-stream; absent from the first.", pattern: hexSHA256, example: "90dd44e2ff639fbbbbce19f6f9d8296ed6b2299edc23f6154c6f720baab1ba2a", optional: true},
	{name: "ce-hash", text: "SHA-256 of the event's canonical text.", pattern: hexSHA256, example: "32cde7cc506f315a51e25b91dca06efa57bd870570850eaa6782e5a11162f14b"},
	{name: "ce-replay", text: "Id of the replay that sent this message; absent from all messages of the stream.", pattern: anyText, example: "rebuild-7", optional: true},
	{name: "Nats-Msg-Id", text: "The event's id once more, by which JetStream knows a message that it has.", pattern: anyText, example: "019a8f51-0c1e-7a44-8d11-5c1f0e9b7a20", optional: true},
}

// headersOf returns the schema of the headers of all messages.
func headersOf(all []attribute) *huma.Schema {
	schema := &huma.Schema{
		Type:        huma.TypeObject,
		Description: "Headers of every message: the attributes of its CloudEvent.",
		Properties:  map[string]*huma.Schema{},
	}
	for _, a := range all {
		schema.Properties[a.name] = &huma.Schema{
			Type: huma.TypeString, Description: a.text, Pattern: a.pattern, Format: a.format, Examples: []any{a.example},
		}
		if !a.optional {
			schema.Required = append(schema.Required, a.name)
		}
	}
	return schema
}

// headersFor returns the schema of the headers of the messages of one type.
func headersFor(typ string) *huma.Schema {
	schema := &huma.Schema{
		Type:       huma.TypeObject,
		AllOf:      []*huma.Schema{{Ref: schemaPrefix + headersSchema}},
		Properties: map[string]*huma.Schema{"ce-type": onlyValue(typ)},
	}
	switch noun, _, _ := strings.Cut(typ, "."); noun {
	case "command", "effect":
		schema.Required = []string{"ce-operation", "ce-command"}
	case "session":
		schema.Required = []string{"ce-operation"}
	case "account":
		schema.Required = []string{"ce-account"}
	}
	return schema
}

// correlation says how the messages of one command are found.
func correlation(typ string) *asyncCorrelation {
	if noun, _, _ := strings.Cut(typ, "."); noun != "command" && noun != "effect" {
		return nil
	}
	return &asyncCorrelation{Description: "The command.", Location: "$message.header#/ce-command"}
}

func onlyValue(v string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Enum: []any{v}} }
