package bus

import (
	"log/slog"
	"testing"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/pkg/testenv"
)

// Neither a call that has ended nor a connection that is closed leaves anything.
func TestInboxKeepsNothing(t *testing.T) {
	t.Parallel()
	open := func() *nats.Conn {
		nc, err := Connect(testenv.NATSURL(t), t.Name(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return nc
	}
	nobody := contracts.Info{Integration: "nobody", Name: "ask", Timeout: contracts.DefaultTimeout}
	first, second := open(), open()
	for range 3 {
		if err := Call(t.Context(), first, nobody, struct{}{}, &struct{}{}); err == nil {
			t.Fatal("somebody answered")
		}
	}
	of, err := inboxOf(first)
	if err != nil || len(of.calls) != 0 || first.NumSubscriptions() != 1 {
		t.Errorf("%v, %d calls, %d subscriptions", err, len(of.calls), first.NumSubscriptions())
	}
	first.Close()
	if _, err := inboxOf(second); err != nil {
		t.Error(err)
	}
	inboxesMu.Lock()
	defer inboxesMu.Unlock()
	if inboxes[first] != nil || inboxes[second] == nil {
		t.Error("the inbox of the closed connection is kept, or that of the other is not")
	}
}
