package main

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"integration.gateway/contracts"
)

const (
	// answerMargin is how much longer than the operation's own limit the
	// gateway's answer is waited for.
	answerMargin = 10 * time.Second
	// maxAnswer bounds an answer's body, in bytes.
	maxAnswer = 16 << 20
)

// client asks the gateway as the operator.
type client struct {
	gateway *url.URL
	token   string
	http    *http.Client
}

// The errors of settings.
var (
	errGatewayURL = errors.New("GATEWAY_URL (or --gateway-url) must be a URL such as http://127.0.0.1:8080")
	errAdminToken = errors.New("ADMIN_TOKEN is not set; a running stack writes it to .run/env")
)

func newClient(gatewayURL, adminToken string) (*client, error) {
	u, err := url.Parse(gatewayURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errGatewayURL
	}
	if adminToken == "" {
		return nil, errAdminToken
	}
	return &client{gateway: u, token: adminToken, http: &http.Client{
		// A redirect would carry the admin token elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// call carries out an operation. The catalogue's entry says where it is found
// and how long it may take.
func call[Req, Res any](ctx context.Context, c *client, op contracts.Operation[Req, Res], req *Req) (*Res, error) {
	info := op.Info()
	ctx, cancel := context.WithTimeout(ctx, info.Timeout+answerMargin)
	defer cancel()
	httpReq, err := c.newRequest(ctx, info, req)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(httpReq)
	if err != nil {
		var urlErr *url.Error
		if errors.As(err, &urlErr) {
			err = urlErr.Err // without the address, which follows
		}
		return nil, fmt.Errorf("the gateway at %s does not answer: %w", c.gateway.Redacted(), err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the gateway's answer: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, refusal(answer, body)
	}
	res := new(Res)
	if err := json.Unmarshal(body, res); err != nil {
		return nil, fmt.Errorf("the answer is not that of a gateway: %w", err)
	}
	return res, nil
}

// refusal is the error that an answer other than 200 stands for.
func refusal(answer *http.Response, body []byte) error {
	var e contracts.ErrorBody
	if json.Unmarshal(body, &e) != nil || e.Message == "" {
		return fmt.Errorf("the gateway answered %s", answer.Status)
	}
	if id := answer.Header.Get(contracts.CommandIDHeader); id != "" && answer.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("%s (command %s)", e.Message, id)
	}
	return errors.New(e.Message)
}

// newRequest puts req's fields where their tags say: path, query or body.
func (c *client) newRequest(ctx context.Context, info contracts.Info, req any) (*http.Request, error) {
	parts := requestParts{path: info.Path, query: url.Values{}}
	if err := parts.take(reflect.ValueOf(req).Elem()); err != nil {
		return nil, err
	}
	address := strings.TrimSuffix(c.gateway.String(), "/") + parts.path
	if len(parts.query) > 0 {
		address += "?" + parts.query.Encode()
	}
	httpReq, err := http.NewRequestWithContext(ctx, info.Method, address, bytes.NewReader(parts.body))
	if err != nil {
		return nil, fmt.Errorf("make a request for %s: %w", info.ID(), err)
	}
	httpReq.Header.Set("Authorization", "Bearer "+c.token)
	if parts.body != nil {
		httpReq.Header.Set("Content-Type", "application/json")
	}
	return httpReq, nil
}

// requestParts is a request as it is split over an HTTP request.
type requestParts struct {
	path  string
	query url.Values
	body  []byte
}

func (p *requestParts) take(req reflect.Value) error {
	for i := range req.NumField() {
		field, value := req.Type().Field(i), req.Field(i)
		name, inPath := field.Tag.Lookup("path")
		query, inQuery := field.Tag.Lookup("query")
		switch {
		case field.Anonymous:
			if err := p.take(value); err != nil {
				return err
			}
		case inPath:
			text := fmt.Sprint(value)
			if strings.Trim(text, ".") == "" { // "..", too, would name another route
				return fmt.Errorf("%q is not a valid %s", text, name)
			}
			p.path = strings.ReplaceAll(p.path, "{"+name+"}", url.PathEscape(text))
		case inQuery && !value.IsZero():
			text, err := parameter(value)
			if err != nil {
				return fmt.Errorf("%s: %w", query, err)
			}
			p.query.Set(query, text)
		case field.Name == "Body":
			body, err := json.Marshal(value.Interface())
			if err != nil {
				return fmt.Errorf("encode the request: %w", err)
			}
			p.body = body
		}
	}
	return nil
}

// parameter writes a value as a query holds it.
func parameter(value reflect.Value) (string, error) {
	if v, ok := value.Interface().(encoding.TextMarshaler); ok {
		text, err := v.MarshalText()
		return string(text), err
	}
	return fmt.Sprint(value), nil
}
