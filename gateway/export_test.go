package gateway

import "time"

// Hasten shortens how long a session's client may take nothing, and how long
// its holder may say nothing. It is for a server that is not yet running.
func (s *Server) Hasten(stall, silence time.Duration) {
	s.sessions.stall = stall
	s.sessions.transport = s.sessions.newTransport(silence)
}
