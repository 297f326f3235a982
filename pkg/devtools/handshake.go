package devtools

import (
	"crypto/sha1" //nolint:gosec // the WebSocket protocol's choice; nothing is kept secret by it
	"encoding/base64"
	"net/http"
)

// A WebSocket's client sends a key, sixteen bytes in base64, and expects a digest
// of what it sent. Go-rod sends the word nil instead, and Chromium takes any text,
// as does this file: the handshake goes on with another key, and the digest is of
// the client's.
const (
	keyHeader    = "Sec-Websocket-Key"
	acceptHeader = "Sec-Websocket-Accept"
	digestSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11" // RFC 6455, section 1.3
)

func isOdd(key string) bool {
	bytes, err := base64.StdEncoding.DecodeString(key)
	return key != "" && (err != nil || len(bytes) != 16)
}

// standIn is the request with a key as it should be.
func standIn(r *http.Request) *http.Request {
	if !isOdd(r.Header.Get(keyHeader)) {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Set(keyHeader, base64.StdEncoding.EncodeToString(make([]byte, 16)))
	return r
}

// anyKey answers with the digest of the request's own key.
func anyKey(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	key := r.Header.Get(keyHeader)
	if !isOdd(key) {
		return w
	}
	digest := sha1.Sum([]byte(key + digestSuffix)) //nolint:gosec // as above
	return &digestWriter{ResponseWriter: w, digest: base64.StdEncoding.EncodeToString(digest[:])}
}

type digestWriter struct {
	http.ResponseWriter
	digest string
}

func (w *digestWriter) WriteHeader(status int) {
	if status == http.StatusSwitchingProtocols {
		w.Header().Set(acceptHeader, w.digest)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the connection be taken over.
func (w *digestWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
