package devtools_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"integration.gateway/contracts/event"
)

func TestMessagesThatAreNoCommandsAreAnsweredWithErrors(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.dial(event.Control)
	page := w.firstPage()
	for text, code := range map[string]int{
		``: -32700, `{`: -32700, `{"id":1,"method":"Browser.getVersion"} {}`: -32700, "{\"id\":1,\"method\":\"\xff\"}": -32700, "\x00": -32700,
		`[]`: -32600, `"x"`: -32600, `{}`: -32600, `null`: -32600, `{"id":"1","method":"Browser.getVersion"}`: -32600,
		`{"id":1.5,"method":"Browser.getVersion"}`: -32600, `{"id":99999999999999999999,"method":"Browser.getVersion"}`: -32600,
		`{"id":1,"method":7}`: -32600, `{"id":1,"method":"Browser.getVersion","params":[]}`: -32600, `{"id":1,"sessionId":7,"method":"a"}`: -32600,
		`{"id":1}`: -32601, `{"id":1,"method":"Browser.crash","params":null}`: -32601,
		`{"id":1,"method":"Browser.crash","Method":"browser.crash"}`:                            -32601,
		`{"id":1,"method":"Browser.getVersion","sessionId":"0123"}`:                             -32001,
		`{"id":1,"method":"Browser.getVersion","sessionId":"a\"},\u0000{\"b"}`:                  -32001,
		`{"id":1,"method":"Target.createTarget","params":{"url":"http://a","url":"file:///a"}}`: -32601,
		`{"id":1,"method":"Target.createTarget","params":{"url":{"a":"b"}}}`:                    -32602,
		`{"id":1,"method":"Target.closeTarget","params":{"targetId":7}}`:                        -32602,
	} {
		w.sendText(text)
		m := w.receive()
		for m.Method != "" {
			m = w.receive()
		}
		if m.Error == nil || m.Error.Code != code {
			t.Errorf("%q: %+v %s, not %d", text, m.Error, m.Result, code)
		}
	}
	w.sendText(`{"id":-9999,"method":"Browser.getVersion","params":null,"sessionId":""}`)
	if m := w.receive(); m.ID == nil || *m.ID != -9999 || m.Error != nil {
		t.Errorf("an id below zero: %+v", m)
	}
	// In pieces, as a slow client's come.
	writer, err := w.ws.Writer(s.ctx, websocket.MessageText)
	if err != nil {
		t.Fatal(err)
	}
	for piece := range strings.SplitSeq(`{"id":77,|"method":|"Runtime.evaluate","params":{"expression":"6*7"},"sessionId":"`+page+`"}`, "|") {
		if _, err := writer.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if m := w.answer(77); !strings.Contains(string(m.Result), "42") {
		t.Errorf("in pieces: %+v", m)
	}
	// What Chromium's parser does not take, it answers or nobody does; the rest goes on.
	for _, odd := range []string{
		`{"id":101,"method":"Runtime.evaluate","params":{"expression":"1","timeout":1e999},"sessionId":"` + page + `"}`,
		`{"id":102,"method":"Runtime.evaluate","params":{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `},"sessionId":"` + page + `"}`,
		`{"id":103,"method":"Runtime.evaluate","params":{"expression":"\ud800","expression":"2"},"sessionId":"` + page + `"}`,
	} {
		w.sendText(odd)
	}
	if got := w.eval(page, "1+1"); got != "2" {
		t.Error(got)
	}
}

func TestConnectionsThatBreakTheRulesEnd(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, test := range map[string]struct {
		kind websocket.MessageType
		text []byte
		code websocket.StatusCode
	}{
		"binary":  {websocket.MessageBinary, []byte(`{"id":1,"method":"Browser.getVersion"}`), websocket.StatusUnsupportedData},
		"too big": {websocket.MessageText, make([]byte, 33<<20), websocket.StatusMessageTooBig},
	} {
		w := s.dial(event.Control)
		if err := w.ws.Write(s.ctx, test.kind, test.text); err != nil && name != "too big" {
			t.Fatal(err)
		}
		if code, _ := w.ends(); code != test.code {
			t.Errorf("%s: ends with %d", name, code)
		}
		<-s.served
	}
	w := s.dial(event.Control)
	if got := w.call("", "Browser.getVersion", nil); got == "" {
		t.Error("the browser is gone")
	}
}

func TestOnlyWebSocketsOfThisHostAndWithAPurposeAreServed(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, test := range map[string]struct {
		url, origin string
		status      int
	}{
		"another site's page": {s.url(event.Control), "https://evil.example", http.StatusForbidden},
		"our own page":        {s.url(event.Control), s.server.URL, http.StatusSwitchingProtocols},
		"no purpose":          {s.url("root"), "", http.StatusNotFound},
		"an empty purpose":    {s.url(""), "", http.StatusNotFound},
	} {
		options := &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {test.origin}}}
		ws, response, err := websocket.Dial(s.ctx, test.url, options) //nolint:bodyclose // the library says that it need not be
		if err == nil {
			_ = ws.CloseNow()
		}
		if response == nil || response.StatusCode != test.status {
			t.Errorf("%s: %v, %v", name, response, err)
		}
	}
	r, err := http.NewRequestWithContext(s.ctx, http.MethodGet, "http"+strings.TrimPrefix(s.url(event.Control), "ws"), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if response.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("without a WebSocket: %s", response.Status)
	}
}

func TestAClientIsToldWhyItIsCut(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.dial(event.Control)
	page := w.firstPage()
	w.send(page, "Runtime.evaluate", object{"expression": "new Promise(() => {})", "awaitPromise": true})
	why := errors.New("the session has ended: " + strings.Repeat("ü", 200))
	s.revoke(why)
	code, told := w.ends()
	if code != websocket.StatusGoingAway || len(told) > 123 || len(told) < 120 || !strings.HasPrefix(why.Error(), told) {
		t.Errorf("%d %q", code, told)
	}
	if err := <-s.served; !errors.Is(err, why) {
		t.Errorf("Serve: %v", err)
	}
}

func TestAClientThatDoesNotAnswerIsCutAllTheSame(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.dial(event.Control)
	w.call("", "Browser.getVersion", nil)
	began := time.Now()
	s.revoke(context.Canceled) // the client reads nothing any more
	<-s.served
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestTheBrowsersEndEndsTheConnection(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.dial(event.Control)
	w.call("", "Browser.getVersion", nil)
	s.page.Release(true)
	if code, told := w.ends(); code != websocket.StatusGoingAway || told != "the browser has ended" {
		t.Errorf("%d %q", code, told)
	}
	<-s.served
	late := s.dial(event.Control)
	if _, told := late.ends(); told != "the browser has ended" {
		t.Errorf("afterwards: %q", told)
	}
}

func TestTooManyCommandsUnderWayAreRefusedNotKept(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.dial(event.Control)
	page := w.firstPage()
	w.send(page, "Runtime.evaluate", object{"expression": "while (true);"}) // the page answers nothing from now on
	stuck := w.attachTo(w.targets()[0].TargetID)
	go func() {
		for n := range 5000 {
			text := fmt.Sprintf(`{"id":%d,"method":"Runtime.evaluate","params":{"expression":"1"},"sessionId":%q}`, 10_000+n, stuck)
			if w.ws.Write(s.ctx, websocket.MessageText, []byte(text)) != nil {
				return
			}
		}
	}()
	for {
		if m := w.receive(); m.Error != nil && m.ID != nil && *m.ID >= 14_000 {
			if !strings.Contains(m.Error.Message, "under way") {
				t.Error(m.Error.Message)
			}
			return
		}
	}
}
