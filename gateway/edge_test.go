package gateway

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
)

// edgeAround is the edge with nothing but a handler behind it.
func edgeAround(t *testing.T, log io.Writer, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := &Server{cfg: Config{BodyTimeout: time.Minute}, log: slog.New(slog.NewTextHandler(log, nil)), metrics: newMetrics(nil)}
	srv := httptest.NewServer(s.edge(handler))
	t.Cleanup(srv.Close)
	return srv
}

func TestAPanicIsA500ThatHidesItsText(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	srv := edgeAround(t, &log, func(http.ResponseWriter, *http.Request) { panic("inner text") })
	res, err := srv.Client().Get(srv.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusInternalServerError || !strings.HasPrefix(string(body), `{"error":"`) || strings.Contains(string(body), "inner") {
		t.Errorf("status %d: %s", res.StatusCode, body)
	}
	id := res.Header.Get(contracts.CommandIDHeader)
	srv.Close() // after which the log is whole
	if id == "" || !strings.Contains(log.String(), id) || !strings.Contains(log.String(), "inner text") || !strings.Contains(log.String(), "edge_test.go") {
		t.Errorf("command %q is not found with its cause in the log: %s", id, log.String())
	}
}

func TestAPanicAfterTheFirstByteCutsTheConnection(t *testing.T) {
	t.Parallel()
	srv := edgeAround(t, io.Discard, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"items":`)
		panic("inner text")
	})
	res, err := srv.Client().Get(srv.URL + "/")
	if err != nil {
		return // cut before the head was seen, which is as good
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("the caller takes %q for a whole response", body)
	}
}
