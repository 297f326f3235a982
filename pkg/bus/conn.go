package bus

import (
	"errors"
	"fmt"
	"log/slog"
	neturl "net/url"
	"time"

	"github.com/nats-io/nats.go"
)

// connectTimeout bounds the first connection and each later attempt.
const connectTimeout = 5 * time.Second

// Connect connects to the NATS server at url under a name that the server
// shows to its operator. A connection that is lost later is tried again for
// ever; requests made meanwhile fail at once instead of being kept.
func Connect(url, name string, logger *slog.Logger) (*nats.Conn, error) {
	nc, err := nats.Connect(url,
		nats.Name(name),
		nats.Timeout(connectTimeout),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250*time.Millisecond),
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				logger.Warn("NATS connection lost", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			logger.Info("NATS connection restored", "server", nc.ConnectedUrlRedacted())
		}),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			logger.Error("NATS reported an error", "subject", subject, "error", err)
		}),
	)
	var malformed *neturl.Error
	if errors.As(err, &malformed) {
		err = errors.New("it is not a URL") // its text holds the URL, and that a password
	}
	if err != nil {
		return nil, fmt.Errorf("connect to NATS (NATS_URL): %w", err)
	}
	return nc, nil
}
