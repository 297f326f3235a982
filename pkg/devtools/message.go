package devtools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"integration.gateway/pkg/browser"
)

// The protocol's codes of errors.
const (
	codeNotJSON  = -32700
	codeRequest  = -32600
	codeRefused  = -32601 // the code for a method that does not exist, which clients know to go without
	codeParams   = -32602
	codeSession  = -32001
	codeOverload = -32000
)

// failure is an error as the protocol has it.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

var noSession = &failure{codeSession, "Session with given id not found."}

func (f *failure) Error() string { return f.Message }

func refusal(format string, args ...any) error {
	return &failure{codeRefused, fmt.Sprintf(format, args...)}
}

func invalid(why string) error { return &failure{codeParams, why} }

// command is one of the client's.
type command struct {
	id      int64 // as the client numbers it
	session string
	method  string
	params  json.RawMessage // an object, or empty

	byBrowser bool // it goes to Chromium as a whole, not to its session

	size  int // of its parameters, as they went to Chromium
	after func(c *client, result json.RawMessage) (json.RawMessage, error)
}

// decodeCommand reads a client's message. What it returns besides an error is as
// much of the command as the answer needs. The parameters are valid JSON, but
// may still say a thing twice: a rule that looks at them encodes them anew.
func decodeCommand(text []byte) (*command, error) {
	if !utf8.Valid(text) {
		return nil, &failure{codeNotJSON, "Message must be UTF-8"}
	}
	var m struct {
		ID        *int64          `json:"id"`
		SessionID string          `json:"sessionId"`
		Method    string          `json:"method"`
		Params    json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return nil, &failure{codeRequest, "Message must have an integer 'id' and strings 'method' and 'sessionId'"}
		}
		return nil, &failure{codeNotJSON, "Message must be a valid JSON"}
	}
	if m.ID == nil {
		return nil, &failure{codeRequest, "Message must have integer 'id' property"}
	}
	cmd := &command{id: *m.ID, session: m.SessionID, method: m.Method, params: m.Params}
	if string(cmd.params) == "null" {
		cmd.params = nil
	}
	if len(cmd.params) > 0 && cmd.params[0] != '{' {
		return cmd, &failure{codeRequest, "Message may have object 'params' property"}
	}
	return cmd, nil
}

// decode reads the parameters.
func (cmd *command) decode(into *fields) error {
	if len(cmd.params) == 0 {
		return nil
	}
	if err := json.Unmarshal(cmd.params, into); err != nil {
		return invalid("params must be an object")
	}
	return nil
}

// encode writes the parameters anew.
func (cmd *command) encode(params fields) (err error) {
	cmd.params, err = json.Marshal(params)
	return err
}

// encodeMessage writes a message for the client. What Chromium has said goes
// as it is.
func encodeMessage(m browser.Message) []byte {
	frame := make([]byte, 0, len(m.Params)+len(m.Result)+len(m.Error)+len(m.Session)+len(m.Method)+64)
	switch {
	case m.Method != "":
		frame = append(append(append(frame, `{"method":"`...), m.Method...), `","params":`...)
		frame = appendObject(frame, m.Params)
	case m.Error != nil:
		frame = append(strconv.AppendInt(append(frame, `{"id":`...), m.ID, 10), `,"error":`...)
		frame = appendObject(frame, m.Error)
	default:
		frame = append(strconv.AppendInt(append(frame, `{"id":`...), m.ID, 10), `,"result":`...)
		frame = appendObject(frame, m.Result)
	}
	if m.Session != "" {
		session, _ := json.Marshal(m.Session) // a string always can be; it may be the client's own
		frame = append(append(frame, `,"sessionId":`...), session...)
	}
	return append(frame, '}')
}

func appendObject(frame []byte, text json.RawMessage) []byte {
	if len(text) == 0 {
		text = empty
	}
	return append(frame, text...)
}

// encodeFailure answers a command with an error. Without a command, nobody knows
// which it was.
func encodeFailure(cmd *command, err error) []byte {
	why := &failure{}
	if !errors.As(err, &why) {
		why = &failure{codeOverload, "the command failed"}
	}
	text, _ := json.Marshal(why) // a number and a string always can be
	if cmd == nil {
		return append(append([]byte(`{"error":`), text...), '}')
	}
	return encodeMessage(browser.Message{ID: cmd.id, Session: cmd.session, Error: text})
}
