package bus

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
)

// The gateway's clock may be minutes off: how long a request may take is a
// duration, and nothing else on the wire counts.
func TestTimeLeftIsADurationWithinTheOperationsLimit(t *testing.T) {
	const limit = time.Minute
	for value, want := range map[string]time.Duration{
		"20000":  20 * time.Second,
		"0":      0,
		"900000": limit,
		"":       limit, "-5": limit, "20 s": limit, "1e3": limit, "99999999999999999999": limit,
		"2006-01-02T15:04:05Z": limit, // a time of day, as it once was
	} {
		msg := &nats.Msg{Header: nats.Header{timeLeftHeader: {value}, "Deadline": {"2006-01-02T15:04:05Z"}}}
		j := newJob(t.Context(), binding{op: contracts.Info{Timeout: limit}}, msg)
		deadline, _ := j.ctx.Deadline()
		if got := time.Until(deadline); got > want || got < want-time.Second {
			t.Errorf("%q leaves %s, want %s", value, got, want)
		}
		j.giveUp(nil)
		j.end()
	}
}

// FuzzDecodeStrictly checks that no input panics and that what is accepted is
// exactly one value.
func FuzzDecodeStrictly(f *testing.F) {
	for _, seed := range []string{`{"name":"a"}`, `{}`, `null`, `{"name":"a"}{}`, "\x00", `{"name":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v struct {
			Name string `json:"name"`
		}
		if decodeStrictly(data, &v) == nil && decodeStrictly(append(data, []byte(" 1")...), &v) == nil {
			t.Errorf("%q with data after it was accepted", data)
		}
	})
}
