package devtools

import (
	"bufio"
	"crypto/sha1" //nolint:gosec // the WebSocket protocol's choice; nothing is kept secret by it
	"encoding/base64"
	"net"
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

// takeover is the answer to a request that becomes a WebSocket: it has the digest
// of the client's own key, and keeps the connection at hand.
type takeover struct {
	http.ResponseWriter
	key  string
	conn net.Conn
}

// WriteHeader is part of http.ResponseWriter.
func (t *takeover) WriteHeader(status int) {
	if status == http.StatusSwitchingProtocols && isOdd(t.key) {
		digest := sha1.Sum([]byte(t.key + digestSuffix)) //nolint:gosec // as above
		t.Header().Set(acceptHeader, base64.StdEncoding.EncodeToString(digest[:]))
	}
	t.ResponseWriter.WriteHeader(status)
}

// Hijack is http.Hijacker.
func (t *takeover) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(t.ResponseWriter).Hijack()
	t.conn = conn
	return conn, buffered, err
}
