package holder_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/holder"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func connect(t *testing.T) *nats.Conn {
	t.Helper()
	nc, err := bus.Connect(testenv.NATSURL(t), t.Name(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// hold answers for sessions until the test ends, and returns what is asked.
func hold(t *testing.T, nc *nats.Conn, subject, answer string) <-chan string {
	t.Helper()
	asked := make(chan string, 10)
	_, err := nc.Subscribe(subject, func(msg *nats.Msg) {
		asked <- string(msg.Data)
		if answer != "" {
			_ = msg.Respond([]byte(answer))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return asked
}

func TestHolderIsWhereItSays(t *testing.T) {
	t.Parallel()
	nc := connect(t)
	id := uuid.Must(uuid.NewV7()).String()
	asked := hold(t, nc, sessions.Subject(id), `{"url":"http://10.0.0.7:9070/base","later":1}`)
	base, err := holder.Find(t.Context(), nc, id)
	if err != nil || base.String() != "http://10.0.0.7:9070/base" {
		t.Errorf("got %v, %v", base, err)
	}
	if got := <-asked; got != `{}` {
		t.Errorf("it was asked %s", got)
	}
	if err := holder.Stop(t.Context(), nc, id, event.SessionStopped); err != nil {
		t.Error(err)
	}
	if got := <-asked; got != `{"stop":"stopped"}` {
		t.Errorf("it was asked %s", got)
	}
	if _, err := holder.Find(t.Context(), nc, uuid.NewString()); !errors.Is(err, holder.ErrNone) {
		t.Errorf("of a session that nobody holds: %v", err)
	}
	if err := holder.Stop(t.Context(), nc, uuid.NewString(), event.SessionStopped); !errors.Is(err, holder.ErrNone) {
		t.Errorf("of a session that nobody holds: %v", err)
	}
}

// What is no id is held by nobody, and nothing is asked for it.
func TestOnlyIDsBecomeSubjects(t *testing.T) {
	t.Parallel()
	nc := connect(t)
	asked := hold(t, nc, ">", `{"url":"http://127.0.0.1:1"}`)
	id := uuid.NewString()
	for _, odd := range []string{
		"", "*", ">", "x", id + ".x", id + ".>", id + " ", " " + id, id[:35], "{" + id + "}", "urn:uuid:" + id, "urn:uuid:" + id[:27],
		"ABCDEF01-7c1d-7bb2-9d0a-0d6c2f0f3a11", "019a8f3e7c1d7bb29d0a0d6c2f0f3a11", id + "\r\nPUB x 1", "../" + id, id + "/", id + "\x00",
	} {
		if _, err := holder.Find(t.Context(), nc, odd); !errors.Is(err, holder.ErrNone) {
			t.Errorf("Find %q: %v", odd, err)
		}
		if err := holder.Stop(t.Context(), nc, odd, event.SessionStopped); !errors.Is(err, holder.ErrNone) {
			t.Errorf("Stop %q: %v", odd, err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if len(asked) != 0 {
		t.Errorf("%d were asked for", len(asked))
	}
}

func TestHolderThatIsNowhereIsAnError(t *testing.T) {
	t.Parallel()
	nc := connect(t)
	for _, answer := range []string{
		"no JSON", `{}`, `{"url":""}`, `{"url":"/path"}`, `{"url":"10.0.0.7:9070"}`, `{"url":"file:///etc"}`, `{"url":"unix:///x"}`,
		`{"url":"http://"}`, `{"url":"http://a:b@10.0.0.7"}`, `{"url":"http://10.0.0.7?x=1"}`, `{"url":"http://10.0.0.7#x"}`, `{"url":7}`,
	} {
		id := uuid.NewString()
		hold(t, nc, sessions.Subject(id), answer)
		if base, err := holder.Find(t.Context(), nc, id); err == nil || errors.Is(err, holder.ErrNone) {
			t.Errorf("%s: got %v, %v", answer, base, err)
		}
	}
}

func TestHolderThatIsSilentIsNotWaitedForLong(t *testing.T) {
	t.Parallel()
	nc := connect(t)
	id := uuid.NewString()
	hold(t, nc, sessions.Subject(id), "")
	begin := time.Now()
	if _, err := holder.Find(t.Context(), nc, id); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 20*time.Second {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := holder.Stop(ctx, nc, id, event.SessionStopped); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
