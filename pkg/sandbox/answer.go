package sandbox

import (
	"bytes"
	"maps"
	"net/http"
)

// answer holds a site's answer back until it is known whether it will be sent.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newAnswer() *answer {
	return &answer{header: http.Header{}, status: http.StatusOK}
}

// Header returns the answer's header.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader keeps the status.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write keeps the bytes.
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

func (a *answer) sendTo(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes()) // the client may be gone; nobody is left to tell
}
