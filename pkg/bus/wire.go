package bus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"integration.gateway/contracts"
)

// takenHeader stands in a message to a caller that is no answer yet: its request
// is with this instance.
const takenHeader = "Taken-By"

// The headers of an error besides the service protocol's own.
const (
	retryAfterHeader = "Retry-After-Ms" // Error.RetryAfter in milliseconds
	quotesHeader     = "Error-Quotes"   // Error.Quotes
	outcomeHeader    = "Error-Outcome"  // Error.Outcome
	finalHeader      = "Error-Final"    // Error.Final
)

// encodeError makes the reply that carries e. The exact message is the body;
// the service protocol's own header holds it on one line, for people who look
// with a NATS client.
func encodeError(reply string, e *contracts.Error) *nats.Msg {
	msg := nats.NewMsg(reply)
	msg.Header.Set(micro.ErrorCodeHeader, string(e.Kind))
	msg.Header.Set(micro.ErrorHeader, strings.Join(strings.Fields(e.Message), " "))
	if e.RetryAfter > 0 {
		msg.Header.Set(retryAfterHeader, strconv.FormatInt(e.RetryAfter.Milliseconds(), 10))
	}
	if e.Outcome != "" {
		msg.Header.Set(outcomeHeader, string(e.Outcome))
	}
	if e.Final {
		msg.Header.Set(finalHeader, "true")
	}
	if e.Quotes {
		msg.Header.Set(quotesHeader, "true")
		msg.Header.Set(micro.ErrorHeader, "the application refused in words of its own")
	}
	msg.Data = []byte(e.Message)
	return msg
}

// decodeError returns the error that a reply carries, or nil for a result.
func decodeError(msg *nats.Msg) *contracts.Error {
	kind := msg.Header.Get(micro.ErrorCodeHeader)
	if kind == "" {
		return nil
	}
	e := &contracts.Error{
		Kind:    contracts.Kind(kind),
		Message: string(msg.Data),
		Quotes:  msg.Header.Get(quotesHeader) != "",
		Outcome: contracts.Outcome(msg.Header.Get(outcomeHeader)),
		Final:   msg.Header.Get(finalHeader) != "",
	}
	if ms, err := strconv.ParseInt(msg.Header.Get(retryAfterHeader), 10, 32); err == nil && ms > 0 {
		e.RetryAfter = time.Duration(ms) * time.Millisecond
	}
	return e
}

// decodeStrictly decodes one JSON value into v and refuses unknown fields and
// anything after the value.
func decodeStrictly(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("data after the JSON value")
	}
	return nil
}
