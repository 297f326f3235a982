package browser

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const fullState = `{
	"version": 1,
	"cookies": [{"name": "session", "value": "secret-value", "domain": "shop.example", "path": "/", "httpOnly": true,
		"sameSite": "Lax", "sourcePort": 443, "partitionKey": {"topLevelSite": "https://shop.example"}}],
	"origins": [{"origin": "https://shop.example", "localStorage": [["token", "secret-value"], ["\ud800", ""]]}]
}`

func TestAStateSurvivesJSON(t *testing.T) {
	t.Parallel()
	state, err := DecodeState([]byte(fullState))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodeState(text)
	if err != nil {
		t.Fatal(err)
	}
	sameText := cmp.Transformer("text", func(raw json.RawMessage) any {
		var v any
		_ = json.Unmarshal(raw, &v)
		return v
	})
	if diff := cmp.Diff(state, again, sameText, cmp.Transformer("items", func(i Items) json.RawMessage { return json.RawMessage(i) })); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(text), `\ud800`) {
		t.Error("a lone surrogate is lost")
	}
}

func TestDecodeStateRefusesWhatNoStateHolds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"not JSON":           {`{"version":`, "not JSON"},
		"a newer version":    {`{"version":2,"passkeys":[]}`, "has version 2, and this program reads versions up to 1"},
		"no version":         {`{}`, "no version"},
		"an unknown field":   {`{"version":1,"passkeys":[]}`, `unknown field "passkeys"`},
		"text after the end": {`{"version":1}{}`, "not JSON"},
		"a cookie's type":    {`{"version":1,"cookies":[{"domain":7}]}`, "domain is not a string"},
		"no domain":          {`{"version":1,"cookies":[{"name":"secret-value"}]}`, "cookie 1 has no domain"},
		"not an origin":      {`{"version":1,"origins":[{"origin":"https://a/secret-value"}]}`, "origin 1: not an origin"},
		"a script's origin":  {`{"version":1,"origins":[{"origin":"javascript:alert(1)"}]}`, "not an origin"},
		"storage of objects": {`{"version":1,"origins":[{"origin":"http://a","localStorage":{"secret-value":1}}]}`, "not a list of pairs"},
		"storage of triples": {`{"version":1,"origins":[{"origin":"http://a","localStorage":[["a","b","secret-value"]]}]}`, "not a pair"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := DecodeState([]byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret-value") {
				t.Errorf("the error tells a secret: %v", err)
			}
		})
	}
}

func FuzzDecodeState(f *testing.F) {
	f.Add([]byte(fullState))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`{"version":1,"cookies":null,"origins":[{"origin":"http://a:1","sessionStorage":[]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		state, err := DecodeState(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(state)
		if err != nil {
			t.Fatalf("cannot be marshalled: %v", err)
		}
		if _, err := DecodeState(again); err != nil {
			t.Fatalf("cannot be read back: %v", err)
		}
	})
}
