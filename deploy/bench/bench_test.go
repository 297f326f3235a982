// Package bench measures what the gateway costs above the work itself, as
// ratios: each benchmark does the same thing once through the gateway and once
// by the barest means, in turns within one run, so that the machine's speed and
// its other load fall on both. "make bench" prints them.
//
//	x-of-hand-written-rod  a search, against a program for go-rod
//	x-of-bare-parts        a call without a browser, against a bare NATS
//	                       request and two bare inserts
//	x-of-plain-insert      appends by 32 clients (package eventlog)
//
// The figures are medians of single calls. Nothing fails for being slow.
package bench_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// turn is how many calls of one kind follow on each other. What a call leaves
// to be done after its answer then falls on the next call of its own kind.
const turn = 10

// timings are how long the calls of one kind took.
type timings []time.Duration

// takeTurn makes one turn's calls.
func (t *timings) takeTurn(call func()) {
	for range turn {
		begin := time.Now()
		call()
		*t = append(*t, time.Since(begin))
	}
}

func (t timings) median() time.Duration {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[len(sorted)/2]
}

// report prints the ratio of ours to theirs, and both in microseconds.
func report(b *testing.B, ratio string, ours timings, oursUnit string, theirs timings, theirsUnit string) {
	b.Helper()
	b.ReportMetric(ours.median().Seconds()/theirs.median().Seconds(), ratio)
	b.ReportMetric(float64(ours.median().Microseconds()), oursUnit)
	b.ReportMetric(float64(theirs.median().Microseconds()), theirsUnit)
	b.ReportMetric(0, "ns/op") // a whole turn's, which says nothing
}

// client calls a gateway on behalf of one linked account, as any caller would.
type client struct {
	*testing.B
	gateway         string
	access, account string // tokens; account may be empty
	command         string // id of the last call's
}

// call makes a request that must be answered with 200, and returns the body.
func (c *client) call(method, path, body string) []byte {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), method, c.gateway+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.access)
	if c.account != "" {
		req.Header.Set(contracts.AccountTokenHeader, c.account)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		c.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		c.Fatalf("%s %s: %s: %s", method, path, resp.Status, content)
	}
	c.command = resp.Header.Get(contracts.CommandIDHeader)
	return content
}

// decode reads a body as the result of an operation.
func decode[Res any](b *testing.B, body []byte) Res {
	b.Helper()
	var res Res
	if err := json.Unmarshal(body, &res); err != nil {
		b.Fatalf("decode %s: %v", body, err)
	}
	return res
}

func encode(b *testing.B, value any) string {
	b.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		b.Fatal(err)
	}
	return string(content)
}
