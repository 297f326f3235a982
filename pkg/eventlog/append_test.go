package eventlog

import (
	"testing"

	"integration.gateway/contracts/event"
)

func TestTheDatabaseHashesAsTheContractSays(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	stream := event.CommandStream("c1")
	if _, err := log.Append(ctx, stream, 0, accepted(t, "Euro € 😀"), accepted(t, `"\`)); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(ctx, stream, 2, accepted(t, "later")); err != nil {
		t.Fatal(err)
	}
	events, err := log.Stream(ctx, stream)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 3 {
		t.Fatalf("the stream has %d events, not 3", len(events))
	}
	if err := event.VerifyStream(events); err != nil {
		t.Error(err)
	}
}
