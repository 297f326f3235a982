package draft

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Recording is a user flow as the Recorder exports it.
type Recording struct {
	keys  []key // besides the steps
	Steps []*Step
}

// Step is one recorded step: its keys, in the order in which they stand there.
type Step struct {
	keys    []key
	comment string // what to say of it
	raw     string // of a step that was not recorded: its YAML
}

type key struct {
	name  string
	value json.RawMessage
}

var errNoRecording = errors.New("it is not a recording: export it from Chrome's Recorder as a JSON file")

// Parse reads a recording.
func Parse(data []byte) (*Recording, error) {
	keys, err := members(data)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errNoRecording, err)
	}
	r := &Recording{}
	found := false
	for _, k := range keys {
		if k.name != "steps" {
			r.keys = append(r.keys, k)
			continue
		}
		var steps []json.RawMessage
		if err := json.Unmarshal(k.value, &steps); err != nil {
			return nil, errNoRecording
		}
		found = true
		for i, raw := range steps {
			keys, err := members(raw)
			if err != nil {
				return nil, fmt.Errorf("step %d: %w", i+1, errNoRecording)
			}
			r.Steps = append(r.Steps, &Step{keys: keys})
		}
	}
	if !found {
		return nil, errNoRecording
	}
	return r, nil
}

// members reads a JSON object, in its order.
func members(data []byte) ([]key, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(err, errors.New("it is no JSON object"))
	}
	var keys []key
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		keys = append(keys, key{name, value})
	}
	_, err := d.Token()
	return keys, err
}

// clone copies a recording, so that it can be changed.
func (r *Recording) clone() *Recording {
	c := &Recording{keys: slices.Clone(r.keys)}
	for _, s := range r.Steps {
		c.Steps = append(c.Steps, &Step{keys: slices.Clone(s.keys)})
	}
	return c
}

// insert puts a step before another; a negative place is none.
func (r *Recording) insert(at int, s *Step) {
	if at >= 0 {
		r.Steps = slices.Insert(r.Steps, at, s)
	}
}

// lastAct is the last step that can be the act of an effect, -1 if none can.
func (r *Recording) lastAct() int {
	for i, s := range slices.Backward(r.Steps) {
		switch s.kind() {
		case "click", "doubleClick":
			return i
		case "keyDown":
			if s.text("key") == "Enter" {
				return i
			}
		}
	}
	return -1
}

func (s *Step) get(name string) json.RawMessage {
	for _, k := range s.keys {
		if k.name == name {
			return k.value
		}
	}
	return nil
}

// text returns the text under a key, empty when there is none.
func (s *Step) text(name string) string {
	var text string
	if json.Unmarshal(s.get(name), &text) != nil {
		return ""
	}
	return text
}

func (s *Step) kind() string { return s.text("type") }

// set replaces the value under a key that is there.
func (s *Step) set(name string, value any) {
	for i := range s.keys {
		if s.keys[i].name == name {
			s.keys[i].value = json.RawMessage(quoted(value))
		}
	}
}

// quoted is a value as JSON, in which <, > and & stand as they are.
func quoted(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return `""` // texts and lists of them can always be written
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// selectors are the step's alternatives, each a chain.
func (s *Step) selectors() [][]string {
	var listed []json.RawMessage
	if json.Unmarshal(s.get("selectors"), &listed) != nil {
		return nil
	}
	var all [][]string
	for _, raw := range listed {
		var chain []string
		var single string
		if json.Unmarshal(raw, &single) == nil {
			chain = []string{single}
		} else if json.Unmarshal(raw, &chain) != nil {
			return nil
		}
		all = append(all, chain)
	}
	return all
}

func (s *Step) selectorTexts() []string { return slices.Concat(s.selectors()...) }

// json is the step as JSON.
func (s *Step) json() json.RawMessage {
	parts := make([]string, len(s.keys))
	for i, k := range s.keys {
		parts[i] = quoted(k.name) + ":" + string(k.value)
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// addresses are those that the step opens, and where it leads.
func (s *Step) addresses() []string {
	list := []string{}
	if s.kind() == "navigate" {
		list = append(list, s.text("url"))
	}
	var events []struct{ URL string }
	if json.Unmarshal(s.get("assertedEvents"), &events) == nil {
		for _, event := range events {
			list = append(list, event.URL)
		}
	}
	return list
}

// String names the step in notes.
func (s *Step) String() string {
	if all := s.selectors(); len(all) > 0 && len(all[0]) > 0 {
		return s.kind() + " " + all[0][len(all[0])-1]
	}
	return s.kind()
}
