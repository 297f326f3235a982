// Package flow points an integration at a real web application: it reads a
// site's folder (site.yaml and one flow an operation) and plays its flows on a
// browser's page.
//
// A flow is a user flow as the Recorder panel of Chrome DevTools exports it,
// in JSON or YAML, with {{ placeholders }} and custom steps that read the
// page, choose, repeat and mark the point of no return. Reading is strict: an
// unknown key, step, filter or field is a fault that names file, step and
// line, and all faults are told at once.
//
// The format's complete reference, for who writes sites, is services/SITES.md;
// package jsonschema has its schemas, for editors.
//
// The story in order: Load reads a folder (load.go, document.go, reader.go),
// each step's type knows how to read itself and how to play itself (step.go
// lists them), Site.Play proves that the account is signed in and plays the
// steps (play.go, signin.go), package tab drives the page.
package flow
