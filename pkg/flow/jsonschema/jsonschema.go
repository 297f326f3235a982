// Package jsonschema holds the JSON Schemas (2020-12) of the files of a site's
// folder, for editors: they complete keys, explain them and mark mistakes.
//
// The schemas accept what flow.Load accepts. They do not know what stands in
// other files, in placeholders and in an operation's contract: what is wrong
// there is found by Load alone.
package jsonschema

import _ "embed"

// Site is the schema of site.yaml, as JSON.
//
//go:embed site.schema.json
var Site []byte

// Flow is the schema of a flow, as JSON.
//
//go:embed flow.schema.json
var Flow []byte
