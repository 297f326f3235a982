package gateway

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// normalize brings a request into the one form that huma then decodes and
// validates, and refuses what could be read in two ways. The request that it
// returns has its body in memory.
func (s *Server) normalize(w http.ResponseWriter, r *http.Request, op *huma.Operation) (*http.Request, error) {
	if !plain(r.URL.Path) {
		return nil, invalid("the path must be UTF-8 without NUL")
	}
	query, err := normalizeQuery(r.URL.RawQuery, op.Parameters)
	if err != nil {
		return nil, err
	}
	body, err := s.readBody(w, r, op)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL.RawQuery = query
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Del("Accept") // every answer is JSON
	return r, nil
}

// plain reports whether text is UTF-8 that every later layer can hold; NUL is
// the character that PostgreSQL cannot.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// normalizeQuery refuses a query string that is malformed or gives a single
// value twice. Lists of numbers may come as a=1,2 or as a=1&a=2.
func normalizeQuery(raw string, params []*huma.Param) (string, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return "", invalid("the query string is malformed")
	}
	for name, values := range query {
		if !plain(name) || !plain(strings.Join(values, "")) {
			return "", invalid("the query string must be UTF-8 without NUL")
		}
		param := queryParam(params, name)
		if param == nil {
			continue // huma refuses it and says so
		}
		switch {
		case isList(param):
			query[name] = listStyle(param, values)
		case len(values) > 1:
			return "", invalid("query.%s: give it once", name)
		}
	}
	return query.Encode(), nil
}

func queryParam(params []*huma.Param, name string) *huma.Param {
	for _, p := range params {
		if p.In == "query" && p.Name == name {
			return p
		}
	}
	return nil
}

// isList reports whether a parameter is a list whose elements hold no comma.
func isList(p *huma.Param) bool {
	return p.Schema.Type == huma.TypeArray && p.Schema.Items != nil &&
		(p.Schema.Items.Type == huma.TypeInteger || p.Schema.Items.Type == huma.TypeNumber)
}

// listStyle writes a list in the style that its parameter is documented with.
func listStyle(p *huma.Param, values []string) []string {
	joined := strings.Join(values, ",")
	if p.Explode != nil && *p.Explode {
		return strings.Split(joined, ",")
	}
	return []string{joined}
}

// readBody reads the request's body and refuses one that is not what the
// operation takes: one JSON value, unambiguous, of bounded length.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, op *huma.Operation) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.cfg.MaxBodyBytes))
	if err != nil {
		var tooLong *http.MaxBytesError
		if errors.As(err, &tooLong) {
			return nil, invalid("the body is longer than %d bytes", tooLong.Limit)
		}
		return nil, invalid("the body did not arrive whole")
	}
	// The deadline was for the body. Left in place, it would end the request's
	// context in the middle of a long operation, since net/http goes on
	// reading to notice a caller that hangs up.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})

	if op.RequestBody == nil {
		if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && string(trimmed) != "{}" {
			return nil, invalid("this operation takes no body")
		}
		return nil, nil
	}
	if len(body) == 0 {
		return nil, nil // huma says that it is missing
	}
	if err := checkContentType(r.Header.Values("Content-Type")); err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return body, checkJSON(body)
}

// checkContentType accepts JSON, in UTF-8 as RFC 8259 has it, and a body
// whose type is not said.
func checkContentType(values []string) error {
	if len(values) == 0 {
		return nil
	}
	mediaType, params, err := mime.ParseMediaType(values[0])
	charset, given := params["charset"]
	if err != nil || len(values) > 1 || mediaType != "application/json" || given && !strings.EqualFold(charset, "utf-8") {
		return invalid("Content-Type must be application/json")
	}
	return nil
}

// checkJSON accepts one JSON value in UTF-8, in which no object has a name
// twice and no text holds NUL. Decoders differ in what they make of the rest.
func checkJSON(body []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return jsonError(err)
		}
		if token.Kind() == '"' && strings.Contains(token.String(), "\x00") {
			return invalid("the body must not hold NUL")
		}
		if dec.StackDepth() == 0 {
			break
		}
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return invalid("the body goes on after its JSON value")
	}
	return nil
}

// jsonError says what is wrong with a body, and where, without quoting it.
func jsonError(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return invalid("the body is not JSON")
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return invalid("the body has a name twice in one object, at byte %d", syntax.ByteOffset)
	}
	return invalid("the body is not JSON in UTF-8, at byte %d", syntax.ByteOffset)
}
