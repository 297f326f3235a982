package containers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"integration.gateway/contracts"
)

func (p *project) request(ctx context.Context, token, accountToken, method, path string, body any) *http.Request {
	p.Helper()
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			p.Fatal(err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.gatewayURL+path, content)
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if accountToken != "" {
		request.Header.Set(contracts.AccountTokenHeader, accountToken)
	}
	return request
}

// send makes a call that must be answered 200, and returns the answer.
func (p *project) send(token, accountToken, method, path string, body any) []byte {
	p.Helper()
	response, err := http.DefaultClient.Do(p.request(p.Context(), token, accountToken, method, path, body))
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		p.Fatalf("%s %s: %s, %v: %s", method, path, response.Status, err, answer)
	}
	return answer
}

func (p *project) put(url, body string) {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode >= 300 {
		p.Fatalf("%s: %s", url, response.Status)
	}
}

func decode[T any](p *project, content []byte) T {
	p.Helper()
	var value T
	if err := json.Unmarshal(content, &value); err != nil {
		p.Fatalf("decode %s: %v", content, err)
	}
	return value
}
