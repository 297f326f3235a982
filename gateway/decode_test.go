package gateway_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestInvalidInputIs400AndReachesNoService(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	const search, clients = "/v1/marketplace/items/search", "/v1/clinic-records/clients/"
	for name, c := range map[string]struct{ method, path, body, says string }{
		"neither asin nor itemUrl":    {"POST", buyPath, `{}`, "asin"},
		"no body":                     {"POST", buyPath, ``, "body"},
		"null":                        {"POST", buyPath, `null`, "object"},
		"a list":                      {"POST", buyPath, `[]`, "object"},
		"a text":                      {"POST", buyPath, `"x"`, "object"},
		"wrong type":                  {"POST", buyPath, `{"asin":12}`, "body.asin: expected string"},
		"wrong form":                  {"POST", buyPath, `{"asin":"short"}`, "body.asin: "},
		"no address":                  {"POST", buyPath, `{"itemUrl":"not an address"}`, "body.itemUrl: "},
		"unknown field":               {"POST", buyPath, `{"asin":"B0CX23V2ZK","colour":"red"}`, "body.colour: "},
		"field in another case":       {"POST", buyPath, `{"asin":"B0CX23V2ZK","ASIN":"x"}`, "body.ASIN: "},
		"field in another case alone": {"POST", buyPath, `{"ASIN":"B0CX23V2ZK"}`, "body.ASIN: "},
		"field twice":                 {"POST", buyPath, `{"asin":"B0CX23V2ZK","asin":"B0CX23V2ZL"}`, "twice"},
		"field twice, once escaped":   {"POST", buyPath, `{"asin":"B0CX23V2ZK","\u0061sin":"B0CX23V2ZL"}`, "twice"},
		"no JSON":                     {"POST", buyPath, `asin=B0CX23V2ZK`, "not JSON"},
		"half of it":                  {"POST", buyPath, `{"asin":`, "not JSON"},
		"two values":                  {"POST", buyPath, buyBody + buyBody, "goes on"},
		"trailing garbage":            {"POST", buyPath, buyBody + ` x`, "goes on"},
		"invalid UTF-8":               {"POST", buyPath, "{\"asin\":\"\xff\"}", "UTF-8"},
		"half a surrogate pair":       {"POST", buyPath, `{"itemUrl":"https://a/\ud800"}`, "UTF-8"},
		"NUL":                         {"POST", buyPath, `{"itemUrl":"https://a/\u0000"}`, "NUL"},
		"NUL in a name":               {"POST", buyPath, `{"a\u0000":1}`, "NUL"},
		"byte order mark":             {"POST", buyPath, "\ufeff" + buyBody, "not JSON"},
		"deep nesting":                {"POST", buyPath, strings.Repeat("[", 20000), "not JSON"},
		"a body where none is taken":  {"GET", searchPath, `{"query":"x"}`, "no body"},
		"a query where none is taken": {"POST", buyPath + "?asin=B0CX23V2ZK", buyBody, "query.asin: "},
		"no query":                    {"GET", search, ``, "query.query: required"},
		"empty query":                 {"GET", search + "?query=", ``, "query.query: required"},
		"over-long query":             {"GET", search + "?query=" + strings.Repeat("a", 501), ``, "query.query: "},
		"unknown query parameter":     {"GET", searchPath + "&colour=red", ``, "query.colour: unknown"},
		"query twice":                 {"GET", searchPath + "&query=b", ``, "once"},
		"no truth value":              {"GET", searchPath + "&isGroceryChain=maybe", ``, "query.isGroceryChain: "},
		"bad escape in the query":     {"GET", search + "?query=%zz", ``, "malformed"},
		"semicolon in the query":      {"GET", search + "?query=a;b=c", ``, "malformed"},
		"invalid UTF-8 in the query":  {"GET", search + "?query=%ff", ``, "UTF-8"},
		"NUL in the query":            {"GET", search + "?query=a%00", ``, "NUL"},
		"NUL in a parameter's name":   {"GET", searchPath + "&a%00=1", ``, "NUL"},
		"a word for a number":         {"GET", clients + "seven", ``, "path.clientId: "},
		"a fraction for a number":     {"GET", clients + "1.5", ``, "path.clientId: "},
		"a number beyond all bounds":  {"GET", clients + "99999999999999999999", ``, "path.clientId: "},
		"NUL in the path":             {"GET", clients + "1%00", ``, "NUL"},
		"invalid UTF-8 in the path":   {"GET", clients + "%ff", ``, "UTF-8"},
		"a word in a list of numbers": {"GET", "/v1/clinic-records/appointments?clinicId=1&startDate=2026-11-21&endDate=2026-11-22&providerIds=1,x", ``, "query.providerIds: "},
		"a date that is none":         {"GET", "/v1/clinic-records/appointments?clinicId=1&startDate=2026-02-30&endDate=2026-11-22&providerIds=1", ``, "query.startDate: "},
	} {
		t.Run(name, func(t *testing.T) {
			a := send(t, e.request(t, c.method, c.path, c.body))
			if message := a.wantError(t, http.StatusBadRequest); !strings.Contains(message, c.says) {
				t.Errorf("%q does not say %q", message, c.says)
			}
			if msgs := services.take(t); len(msgs) != 0 {
				t.Errorf("%s was sent %s", msgs[0].Subject, msgs[0].Data)
			}
		})
	}
}

func TestInputThatIsTakenReachesTheServiceInOneForm(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	const (
		appointments = "/v1/clinic-records/appointments?clinicId=1&startDate=2026-11-21&endDate=2026-11-22&providerIds="
		calendar     = `{"clinicId":1,"startDate":"2026-11-21","endDate":"2026-11-22","providerIds":[7,8]}`
	)
	for name, c := range map[string]struct{ method, path, body, want string }{
		"both asin and itemUrl":     {"POST", buyPath, `{"itemUrl":"https://a.example/dp/1","asin":"B0CX23V2ZK"}`, `{"body":{"asin":"B0CX23V2ZK","itemUrl":"https://a.example/dp/1"}}`},
		"space around the body":     {"POST", buyPath, " \n" + buyBody + "\r\n\t", `{"body":` + buyBody + `}`},
		"escaped name":              {"POST", buyPath, `{"\u0061sin":"B0CX23V2ZK"}`, `{"body":` + buyBody + `}`},
		"list with commas":          {"GET", appointments + "7,8", "", calendar},
		"list by repetition":        {"GET", appointments + "7&providerIds=8", "", calendar},
		"list with escaped commas":  {"GET", appointments + "7%2C8", "", calendar},
		"no body where none is due": {"POST", "/v1/marketplace/session", "", `{}`},
		"empty object for no body":  {"POST", "/v1/marketplace/session", " {} ", `{}`},
		"query in UTF-8":            {"GET", "/v1/marketplace/items/search?query=caf%C3%A9+%26+%F0%9F%8D%B5", "", `{"query":"café \u0026 🍵"}`},
	} {
		t.Run(name, func(t *testing.T) {
			a := send(t, e.request(t, c.method, c.path, c.body))
			if a.StatusCode != http.StatusOK {
				t.Fatalf("status %d: %s", a.StatusCode, a.body)
			}
			if msgs := services.take(t); len(msgs) != 1 || string(msgs[0].Data) != c.want {
				t.Errorf("sent %s, want %s", msgs[0].Data, c.want)
			}
		})
	}
}

func TestOnlyJSONIsTakenAsABody(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	for name, c := range map[string]struct {
		types  []string
		status int
	}{
		"json":              {[]string{"application/json"}, 200},
		"json, UTF-8":       {[]string{`Application/JSON; charset="UTF-8"`}, 200},
		"none":              {nil, 200},
		"form":              {[]string{"application/x-www-form-urlencoded"}, 400},
		"text":              {[]string{"text/plain"}, 400},
		"xml":               {[]string{"application/xml"}, 400},
		"multipart":         {[]string{"multipart/form-data; boundary=x"}, 400},
		"another character": {[]string{"application/json; charset=utf-16"}, 400},
		"a kind of json":    {[]string{"application/problem+json"}, 400},
		"empty":             {[]string{""}, 400},
		"malformed":         {[]string{"application/json; ;"}, 400},
		"two":               {[]string{"application/json", "application/json"}, 400},
	} {
		t.Run(name, func(t *testing.T) {
			r := e.request(t, http.MethodPost, buyPath, buyBody)
			r.Header["Content-Type"] = c.types
			a := send(t, r)
			sent := len(services.take(t))
			if a.StatusCode != c.status || (sent == 1) != (c.status == 200) {
				t.Errorf("status %d, %d messages sent: %s", a.StatusCode, sent, a.body)
			}
		})
	}
}

func TestBodiesHaveALimit(t *testing.T) {
	t.Parallel()
	e := start(t, map[string]string{"GATEWAY_MAX_BODY_BYTES": "1000"})
	services := serveEverything(t, e.bus)
	fits := buyBody + strings.Repeat(" ", 1000-len(buyBody))
	if a := send(t, e.request(t, http.MethodPost, buyPath, fits)); a.StatusCode != http.StatusOK {
		t.Errorf("a body of exactly the limit: status %d: %s", a.StatusCode, a.body)
	}
	services.take(t)
	for name, unknownLength := range map[string]bool{"announced": false, "chunked": true} {
		t.Run(name, func(t *testing.T) {
			r := e.request(t, http.MethodPost, buyPath, fits+" ")
			if unknownLength {
				r.ContentLength = -1
			}
			message := send(t, r).wantError(t, http.StatusBadRequest)
			if !strings.Contains(message, "1000 bytes") {
				t.Errorf("message %q", message)
			}
			if len(services.take(t)) != 0 {
				t.Error("it was sent")
			}
		})
	}
}

func TestMessagesHaveALimitAndQuoteNoValue(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	for _, body := range []string{
		`{"asin":"SECRET"}`,
		`{"asin":["SECRET"]}`,
		`{"asin":"` + strings.Repeat("SECRET", 10000) + `"}`,
		`{"itemUrl":"SECRET SECRET"}`,
		`{"asin":SECRET}`,
		`{"` + strings.Repeat("k", 100000) + `":1}`,
	} {
		message := send(t, e.request(t, http.MethodPost, buyPath, body)).wantError(t, http.StatusBadRequest)
		if strings.Contains(message, "SECRET") || len(message) > 2000 {
			t.Errorf("message %.200q of %d bytes", message, len(message))
		}
	}
}
