package gateway

import (
	"io"
	"net"
	"time"
)

// boundedConn is a connection on which nothing waits for ever. It knows no half
// close, which WebSockets do without: where one direction ends, both do.
type boundedConn struct {
	net.Conn
	r       io.Reader     // of the connection; may have read some of it already
	stall   time.Duration // how long a write may take
	silence time.Duration // how long nothing may come; 0: for ever
}

// Read reads what comes before the silence is too long.
func (c *boundedConn) Read(data []byte) (int, error) {
	if c.silence > 0 {
		_ = c.SetReadDeadline(time.Now().Add(c.silence)) // fails where reading does
	}
	return c.r.Read(data)
}

// Write fails when the other side takes nothing for too long.
func (c *boundedConn) Write(data []byte) (int, error) {
	_ = c.SetWriteDeadline(time.Now().Add(c.stall)) // fails where writing does
	return c.Conn.Write(data)
}
