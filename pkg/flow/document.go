package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// kind is what a node of a document is.
type kind string

const (
	isMap    kind = "an object"
	isList   kind = "a list"
	isText   kind = "a text"
	isNumber kind = "a number"
	isBool   kind = "true or false"
	isNull   kind = "null"
)

// node is a value of a YAML or JSON document with the line on which it stands.
type node struct {
	kind    kind
	line    int
	text    string // of a scalar
	entries []entry
	items   []*node
}

type entry struct {
	key   string
	line  int
	value *node
}

// maxDepth bounds how deep values may nest; no flow comes near it.
const maxDepth = 60

// parseDocument reads a file, JSON being a subset of YAML. Anchors, aliases
// and tags are refused: a flow is read by people, top to bottom.
func parseDocument(file string, data []byte) (*node, error) {
	if path.Ext(file) == ".json" {
		// YAML forbids tabs in indentation; JSON has no tab but between tokens.
		data = []byte(strings.ReplaceAll(string(data), "\t", " "))
	}
	tree, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxFault(file, err)
	}
	if len(tree.Docs) != 1 || tree.Docs[0].Body == nil {
		return nil, Fault{File: file, Text: fmt.Sprintf("expected one document, found %d", len(tree.Docs))}.err()
	}
	n, err := convert(tree.Docs[0].Body, 0)
	var fault *documentFault
	if errors.As(err, &fault) {
		fault.File = file
	}
	return n, err
}

// documentFault is a fault that ends the reading of its file.
type documentFault struct{ Fault }

func (f *documentFault) Error() string { return f.String() }

func (f Fault) err() error { return &documentFault{f} }

func syntaxFault(file string, err error) error {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) {
		return Fault{File: file, Line: syntax.Token.Position.Line, Text: syntax.Message}.err()
	}
	return Fault{File: file, Text: err.Error()}.err()
}

func convert(from ast.Node, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, Fault{Text: "values nest too deep"}.err()
	}
	n := &node{line: lineOf(from)}
	switch v := from.(type) {
	case nil, *ast.NullNode:
		n.kind = isNull
	case *ast.StringNode:
		n.kind, n.text = isText, v.Value
	case *ast.LiteralNode:
		n.kind, n.text = isText, v.Value.Value
	case *ast.IntegerNode, *ast.FloatNode:
		n.kind, n.text = isNumber, v.GetToken().Value
	case *ast.BoolNode:
		n.kind, n.text = isBool, strconv.FormatBool(v.Value)
	case *ast.MappingNode:
		n.kind = isMap
		return n, n.addEntries(v.Values, depth)
	case *ast.MappingValueNode:
		n.kind = isMap
		return n, n.addEntries([]*ast.MappingValueNode{v}, depth)
	case *ast.SequenceNode:
		n.kind = isList
		for _, item := range v.Values {
			child, err := convert(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, child)
		}
	default:
		return nil, Fault{Line: n.line, Text: "anchors, aliases, tags and the like have no place in a site's files"}.err()
	}
	return n, nil
}

func (n *node) addEntries(values []*ast.MappingValueNode, depth int) error {
	for _, v := range values {
		key, ok := v.Key.(ast.ScalarNode)
		if !ok {
			return Fault{Line: lineOf(v), Text: "a key must be a plain word"}.err()
		}
		child, err := convert(v.Value, depth+1)
		if err != nil {
			return err
		}
		name := key.GetToken().Value
		n.entries = append(n.entries, entry{key: name, line: lineOf(v.Key), value: child})
		if child.line == 0 {
			child.line = lineOf(v.Key)
		}
	}
	return nil
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		return lineOf(m.Values[0].Key)
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		return lineOf(m.Key)
	}
	return n.GetToken().Position.Line
}

// get returns the value under a key, nil if there is none.
func (n *node) get(key string) *node {
	for _, e := range n.entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// plain turns a node into plain Go values; numbers stay exact.
func (n *node) plain() any {
	switch n.kind {
	case isMap:
		m := make(map[string]any, len(n.entries))
		for _, e := range n.entries {
			m[e.key] = e.value.plain()
		}
		return m
	case isList:
		l := make([]any, len(n.items))
		for i, item := range n.items {
			l[i] = item.plain()
		}
		return l
	case isNumber:
		return exactNumber(n.text)
	case isBool:
		return n.text == "true"
	case isNull:
		return nil
	}
	return n.text
}

// exactNumber keeps a number as it was written where JSON has that form too.
func exactNumber(text string) any {
	if json.Valid([]byte(text)) {
		return json.Number(text)
	}
	if f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); err == nil {
		return f
	}
	return text
}
